/** Makes of a chosen file what can be sent: recognises its format, its encoding and its columns, and converts it if need be. */
import { type PlantRow, readPlantRows } from '../../../src/client/plant-rows.ts';
import { convertCsv, readFirstRow } from './convert-csv.ts';
import { guessPlan } from './csv-plan.ts';
import type { ChosenFile } from './import-state.ts';
import { encodingNames, inspectFile } from './inspect-file.ts';

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
  const first = isCsv ? ((await readFirstRow(file, encoding)) ?? before?.first) : undefined;
  const csv = first && { first, plan: before?.plan ?? guessPlan(first, encoding, await findFirstId()) };
  const made = { ...toUnread(file), ...(csv && (await convertCsv(file, csv.first, csv.plan))), format, csv };
  const preview: PlantRow[] = [];
  for await (const row of readPlantRows(made.source.slice(0, previewBytes), format))
    if (preview.push(row) === previewRows) break;
  return { ...made, preview };
}
