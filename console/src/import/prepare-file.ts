/** Makes of a chosen file what can be sent: recognises its format, its encoding and its columns, and converts it if need be. */
import { convertCsv, readFirstRow } from './convert-csv.ts';
import { changePlan, type CsvPlan, guessPlan } from './csv-plan.ts';
import type { ChosenFile } from './import-state.ts';
import { type Encoding, encodingNames, inspectFile } from './inspect-file.ts';
import { type PlantRow, readPlantRows } from './read-plant-rows.ts';

/** Rows of the preview, and where they are looked for. */
const previewRows = 8;
const previewBytes = 65_536;

/** The file as it is, before anything is known of it. */
export function toUnread(file: File): ChosenFile {
  return { file, format: 'text/csv', source: file, addedLines: 0 };
}

/** @param findFirstId the first id for plants that have none. Resolves to a text if the file cannot be imported. */
export async function prepareFile(file: File, findFirstId: () => Promise<bigint>): Promise<ChosenFile | string> {
  const inspection = await inspectFile(file);
  if ('problem' in inspection) return inspection.problem;
  const { format, encoding } = inspection;
  if (format === 'text/csv') return convert({ ...toUnread(file), csv: await planCsv(file, encoding, findFirstId) });
  if (encoding !== 'utf-8') return `This file is probably ${encodingNames[encoding]}. Save it as UTF-8.`;
  return convert({ ...toUnread(file), format });
}

/** Takes other columns, another encoding, or other ids: they count once it is prepared again. */
export function replan(chosen: ChosenFile, change: Partial<CsvPlan>): ChosenFile {
  const { csv } = chosen;
  return csv === undefined
    ? chosen
    : { ...chosen, csv: { ...csv, plan: changePlan(csv.plan, change, csv.first.length) } };
}

export async function prepareAgain(chosen: ChosenFile): Promise<ChosenFile> {
  const { file, csv } = chosen;
  if (csv === undefined) return chosen;
  const first = (await readFirstRow(file, csv.plan.encoding)) ?? csv.first;
  return convert({ ...chosen, csv: { ...csv, first } });
}

async function planCsv(file: File, encoding: Encoding, findFirstId: () => Promise<bigint>): Promise<ChosenFile['csv']> {
  const first = await readFirstRow(file, encoding);
  return first === undefined ? undefined : { first, plan: guessPlan(first, encoding, await findFirstId()) };
}

async function convert(chosen: ChosenFile): Promise<ChosenFile> {
  const { file, csv } = chosen;
  const made =
    csv === undefined ? ({ source: file, addedLines: 0 } as const) : await convertCsv(file, csv.first, csv.plan);
  const preview: PlantRow[] = [];
  for await (const row of readPlantRows(made.source.slice(0, previewBytes), chosen.format))
    if (preview.push(row) === previewRows) break;
  return { ...chosen, ...made, preview };
}
