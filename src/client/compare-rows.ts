/**
 * Completes dry runs, in which the service compares each row with what is stored, not with earlier rows: rows of ids that the files have
 * more than once count as the import will count them. And what is stored in place of rows that differ.
 */
import { decideRow } from '../domain/decide-row.ts';
import { plantIdTaken } from '../domain/error-numbers.ts';
import { toStoredPlant } from '../domain/plant.ts';
import type { ImportReport, StoredPlant } from '../domain/schemas.ts';
import { parseInt64 } from '../json/int64.ts';
import type { PlantClient } from './client.ts';
import { PlantStoreError } from './errors.ts';
import { getPlants } from './get-plants.ts';
import { errorsMax, type ImportOptions } from './import-parts.ts';
import { type PlantRow, readPlantRows } from './plant-rows.ts';
import { findRepeatedIds, type RepeatedIds, type RowFile } from './repeated-ids.ts';

export interface CheckedFile<Report extends ImportReport = ImportReport> extends RowFile {
  /** Of its dry run. */
  readonly report: Report;
}

export interface ComparisonOptions extends Pick<ImportOptions, 'signal'> {
  readonly onConflict: NonNullable<ImportOptions['onConflict']>;
  /** The plants with these ids; undefined if not all are known. They are then read from the service. */
  readonly findPlants?: (ids: readonly bigint[]) => readonly StoredPlant[] | undefined;
  /** Conflicts that are described, of one file. Default 0. */
  readonly conflictsMax?: number;
  /** Gets every row that can be read, and its id if it has a valid one. */
  readonly watch?: (row: PlantRow, id: bigint | undefined) => void;
}

/** A row whose id has another name or tag. */
export interface Conflict {
  readonly line: number;
  /** Of the row. */
  readonly plant: StoredPlant;
  /** What there is before it: stored, or of an earlier row. */
  readonly before: StoredPlant;
  readonly isStored: boolean;
}

export interface Comparison<Report> {
  /** As the import will end. A row that is refused for an earlier one has no message: the texts of errors are not for browsers. */
  readonly reports: readonly Report[];
  readonly repeated: RepeatedIds & {
    /** Rows that replace what an earlier row stored. Undefined: the rows are not compared, and each counts by itself. */
    readonly again?: bigint;
  };
  readonly conflicts: readonly Conflict[];
}

/** Rows of repeated ids that are compared; with more of them, each counts by itself. */
const repeatedMax = 10_000;

/** How reports count the outcomes. */
const toCounted = (outcome: ReturnType<typeof decideRow>) => (outcome === 'taken' ? 'refused' : outcome);

/** @param files in the order of their import. */
export async function compareRows<Report extends ImportReport>(
  client: Pick<PlantClient, 'import' | 'get'>,
  files: readonly CheckedFile<Report>[],
  options: ComparisonOptions,
): Promise<Comparison<Report>> {
  const { onConflict, signal, watch, conflictsMax = 0 } = options;
  const invalid = files.map(({ report }) => new Set(toLines(report, false)));
  const found = await findRepeatedIds(files, signal, ({ file, line }) => invalid[file]?.has(line) !== true, watch);
  const places = [...found.ids.values()].flat();
  const isComplete =
    places.length <= repeatedMax && files.every(({ report: { refused, errors } }) => refused === BigInt(errors.length));
  const repeated = files.map(
    (_, at) => new Set(isComplete ? places.filter(({ file }) => file === at).map(({ line }) => line) : []),
  );
  const taken = conflictsMax === 0 ? [] : await findTaken(client, files[0], options);
  const rows = await Promise.all(files.map((file, at) => readRows(file, new Set([...(repeated[at] ?? []), ...taken]))));
  const stored = await findStored(client, new Set(rows.flat().map(({ plant }) => plant.id)), options);
  if (stored === undefined) return { reports: files.map(({ report }) => report), repeated: found, conflicts: [] };
  const current = new Map(stored);
  const conflicts: Conflict[] = [];
  let again = 0n;
  const reports = files.map(({ report }, at) => {
    const counts = { ...report } as { -readonly [Count in keyof ImportReport]: ImportReport[Count] };
    const errors = [...report.errors];
    for (const { line, plant } of rows[at] ?? []) {
      const before = current.get(plant.id);
      const isStored = before === stored.get(plant.id);
      const outcome = decideRow(before, plant, onConflict);
      if (repeated[at]?.has(line) === true) {
        const said = decideRow(stored.get(plant.id), plant, onConflict);
        counts[toCounted(said)]--;
        counts[toCounted(outcome)]++;
        if (outcome === 'taken' && said !== outcome)
          errors.push({ line: BigInt(line), error: plantIdTaken, message: '' });
      }
      if (before !== undefined && outcome !== 'unchanged' && conflicts.length < conflictsMax)
        conflicts.push({ line, plant, before, isStored });
      if (outcome === 'replaced' && !isStored) again++;
      if (outcome === 'created' || outcome === 'replaced') current.set(plant.id, plant);
    }
    errors.sort((one, other) => Number(one.line - other.line));
    return { ...report, ...counts, errors: errors.slice(0, errorsMax) };
  });
  return { reports, repeated: isComplete ? { ...found, again } : found, conflicts };
}

/** Lines of rows whose ids are taken, or that are refused for another reason. */
function toLines({ errors }: ImportReport, isTaken: boolean): number[] {
  return errors.filter(({ error }) => (error === plantIdTaken) === isTaken).map(({ line }) => Number(line));
}

/** The first lines whose rows differ from what is stored. The service names them only where it refuses them. */
async function findTaken(
  client: Pick<PlantClient, 'import'>,
  file: CheckedFile | undefined,
  { signal, conflictsMax }: ComparisonOptions,
): Promise<readonly number[]> {
  if (file === undefined) return [];
  const { source, mediaType, report } = file;
  const isRefusing = report.replaced + report.skipped === 0n;
  const refusing = isRefusing ? report : await client.import(source, { mediaType, dryRun: true, signal });
  return toLines(refusing, true).slice(0, conflictsMax);
}

async function readRows({ source, mediaType }: RowFile, lines: ReadonlySet<number>) {
  const found: { readonly line: number; readonly plant: StoredPlant }[] = [];
  const last = Math.max(0, ...lines);
  if (last === 0) return found;
  for await (const { line, id: text, name, tag } of readPlantRows(source, mediaType)) {
    if (line > last) break;
    const id = parseInt64(text);
    if (lines.has(line) && id !== undefined) found.push({ line, plant: toStoredPlant(id, { name, tag }) });
  }
  return found;
}

/** Undefined: the token may not read. */
async function findStored(
  client: Pick<PlantClient, 'get'>,
  ids: ReadonlySet<bigint>,
  { findPlants, signal }: ComparisonOptions,
): Promise<ReadonlyMap<bigint, StoredPlant> | undefined> {
  try {
    const plants = findPlants?.([...ids]) ?? (await getPlants(client, [...ids], undefined, signal));
    return new Map(plants.map((plant) => [plant.id, plant]));
  } catch (error) {
    if (error instanceof PlantStoreError && error.status === 403) return undefined;
    throw error;
  }
}
