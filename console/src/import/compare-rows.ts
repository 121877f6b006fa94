/**
 * Completes a dry run, in which the service compares each row with what is stored, not with earlier rows of the file: rows of ids that the
 * file has more than once count as the import will count them. And what is stored in place of the rows that differ.
 */
import { type ImportReport, type PlantClient, PlantStoreError, type StoredPlant } from '../../../src/client/client.ts';
import { errorsMax } from '../../../src/client/import-parts.ts';
import { plantIdTaken } from '../../../src/domain/error-numbers.ts';
import { areEqual, toStoredPlant } from '../../../src/domain/plant.ts';
import { readPlants } from '../copy/read-plants.ts';
import { parseId } from '../parse-id.ts';
import { examineRows } from './examine-rows.ts';
import type { Conflict, ConflictRule, ImportState } from './import-state.ts';
import { readPlantRows } from './read-plant-rows.ts';

/** Rows of repeated ids that are compared; with more of them, each counts by itself. */
const repeatedMax = 10_000;
/** Rows that differ from what is stored whose plants are read. */
const conflictsMax = 100;

const outcomes = { fail: 'refused', skip: 'skipped', replace: 'replaced' } as const;

export async function compareRows(
  client: Pick<PlantClient, 'import' | 'get'>,
  signal: AbortSignal,
  { chosen: { source, format }, rule }: Pick<Required<ImportState>, 'chosen' | 'rule'>,
  report: ImportReport,
  findInCopy: (ids: readonly bigint[]) => readonly StoredPlant[] | undefined,
): Promise<Pick<ImportState, 'repeated' | 'conflicts'> & { readonly report: ImportReport }> {
  const toLines = (isWanted: boolean, { errors }: ImportReport): number[] =>
    errors.filter(({ error }) => (error === plantIdTaken) === isWanted).map(({ line }) => Number(line));
  const found = await examineRows(source, format, signal, new Set(toLines(false, report)));
  const isComplete = found.lines.length <= repeatedMax;
  const repeated = new Set(isComplete ? found.lines : []);
  // Which rows differ, the service says only where it refuses them.
  const refusing =
    report.replaced + report.skipped > 0n
      ? await client.import(source, { mediaType: format, dryRun: true, signal })
      : report;
  const taken = toLines(true, refusing).slice(0, conflictsMax);
  const rows = await readLines(new Set([...repeated, ...taken]));
  const stored = await findStored([...new Set(rows.map(({ plant }) => plant.id))]);
  if (stored === undefined) return { report, repeated: found };
  const current = new Map(stored);
  const counts = { ...report };
  const errors = [...report.errors];
  const conflicts: Conflict[] = [];
  let again = 0n;
  for (const { line, plant } of rows) {
    const before = current.get(plant.id);
    const isStored = before === stored.get(plant.id);
    const outcome = decide(before, plant, rule);
    if (repeated.has(line)) {
      const said = decide(stored.get(plant.id), plant, rule);
      counts[said]--;
      counts[outcome]++;
      if (outcome === 'refused' && said !== outcome)
        errors.push({ line: BigInt(line), error: plantIdTaken, message: '' });
    }
    if (outcome === outcomes[rule] && before !== undefined && conflicts.length < conflictsMax)
      conflicts.push({ line, plant, before, isStored });
    if (outcome === 'replaced' && !isStored) again++;
    if (outcome === 'created' || outcome === 'replaced') current.set(plant.id, plant);
  }
  errors.sort((one, other) => Number(one.line - other.line));
  return {
    report: { ...counts, errors: errors.slice(0, errorsMax) },
    repeated: isComplete ? { ...found, again } : found,
    conflicts,
  };

  async function readLines(lines: ReadonlySet<number>) {
    const found: { readonly line: number; readonly plant: StoredPlant }[] = [];
    if (lines.size === 0) return found;
    const last = Math.max(...lines);
    for await (const { line, id: text, name, tag } of readPlantRows(source, format)) {
      if (line > last) break;
      const id = parseId(text);
      if (lines.has(line) && id !== undefined) found.push({ line, plant: toStoredPlant(id, { name, tag }) });
    }
    return found;
  }

  /** Undefined: the token may not read. */
  async function findStored(ids: readonly bigint[]): Promise<ReadonlyMap<bigint, StoredPlant> | undefined> {
    try {
      const plants = findInCopy(ids) ?? (await readPlants(client, ids, () => undefined, signal));
      return new Map(plants.map((plant) => [plant.id, plant]));
    } catch (error) {
      if (error instanceof PlantStoreError && error.status === 403) return undefined;
      throw error;
    }
  }
}

/** As the service decides. */
function decide(stored: StoredPlant | undefined, row: StoredPlant, rule: ConflictRule) {
  if (stored === undefined) return 'created';
  return areEqual(stored, row) ? 'unchanged' : outcomes[rule];
}
