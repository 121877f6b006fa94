/** Makes of a chosen file what can be sent: recognises its format, its encoding and its columns, and converts it if need be. */
import { type PlantRow, readPlantRows } from '../../../src/client/rows.ts';
import { convertCsv, readEdges } from './convert-csv.ts';
import { type CsvPlan, guessPlan } from './csv-plan.ts';
import { findEnd, findFirst } from './find-table.ts';
import type { ChosenFile, CsvFile } from './import-state.ts';
import { type Encoding, encodingNames, inspectFile } from './inspect-file.ts';

/** Rows of the preview, and where they are looked for. */
const previewRows = 8;
const previewBytes = 65_536;

/** The file as it is, before anything is known of it. */
export function toUnread(file: File): ChosenFile {
  return { file, format: 'text/csv', source: file, addedLines: 0, leftOut: 0 };
}

/**
 * Resolves to a text if the file cannot be imported.
 * @param chosen of CSV, perhaps with a plan; without one, it is guessed.
 * @param findFirstId the first id for plants that have none.
 */
export async function prepareFile(
  { file, csv: before }: ChosenFile,
  findFirstId: () => Promise<bigint>,
): Promise<ChosenFile | string> {
  const inspection = await inspectFile(file);
  if ('problem' in inspection) return inspection.problem;
  const { format } = inspection;
  const encoding = before?.plan.encoding ?? inspection.encoding;
  const isCsv = format === 'text/csv';
  if (!isCsv && encoding !== 'utf-8') return `This file is probably ${encodingNames[encoding]}. Save it as UTF-8.`;
  const csv = isCsv ? await planCsv(file, encoding, before, findFirstId) : undefined;
  const made = { ...toUnread(file), ...(csv && (await convertCsv(file, csv.first, csv.plan))), format, csv };
  const preview: PlantRow[] = [];
  for await (const row of readPlantRows(made.source.slice(0, previewBytes), format))
    if (preview.push(row) === previewRows) break;
  return { ...made, preview };
}

/** The plan of before, or the one that the first and last rows suggest. Undefined: there are no rows. */
async function planCsv(
  file: Blob,
  encoding: Encoding,
  before: CsvFile | undefined,
  findFirstId: () => Promise<bigint>,
): Promise<CsvFile | undefined> {
  const { separator, rows, last } = await readEdges(file, encoding);
  if (before !== undefined) {
    const { start } = before.plan;
    return { ...before, rows, first: (rows.find(({ line }) => line === start) ?? rows[0])?.cells ?? before.first };
  }
  const first = findFirst(rows);
  if (first === undefined) return undefined;
  const plan: CsvPlan = {
    ...guessPlan(first.cells, encoding, await findFirstId()),
    separator,
    start: first === rows[0] ? undefined : first.line,
  };
  const below = last.filter(({ line }) => line > first.line);
  const end = findEnd(below, plan);
  const sum = last.find(({ line }) => line === end)?.cells;
  return { first: first.cells, rows, sum, plan: { ...plan, end } };
}
