/**
 * What a batch does, in slices of some plants: from its action to the edits of each plant. Writes
 * nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Change } from '../domain/change-log.ts';
import { ServiceError } from '../domain/errors.ts';
import { plantFields } from '../domain/plant.ts';
import type { Batch, PlantPatch, PlantSelection, StoredPlant } from '../domain/schemas.ts';
import type { PlantEdit, ListFilter, PlantPage, PlantQuery, Store } from '../domain/store.ts';
import { findOwn, type OwnChanges } from './own-changes.ts';
import type { RetryWhileBusy } from './retry-while-busy.ts';

/**
 * Maximum plants of a slice. Others' writes wait less: `BatchRun` cuts a slice into writes. An undo
 * reads as many changes at once: up to 8 MB of texts, which PostgreSQL does not bound further.
 */
const sliceRowsMax = 500;
/**
 * Plants to read at once for it. SQLite reads more in several turns, each of which passes over what
 * the batch has changed already.
 */
const readRowsMax = 125;
/** Plants to read at once for a restore, which reads the texts of all at once. */
const restoredRowsMax = 100;

/** Plants whose histories are read at once: alone, each waits for six answers of PostgreSQL. */
const historiesMax = 20;

/** How often to report while a batch waits for earlier ones, in milliseconds. */
const pauseMs = 5_000;

/** Some plants of the batch, each in one of its members. A slice without plants only makes a report. */
export interface BatchSlice {
  readonly edits: readonly PlantEdit[];
  /** Plants that are as wanted already. */
  readonly unchanged?: readonly bigint[];
  /** Ids that have no plant, and no deleted one in the change log. */
  readonly unknown?: readonly bigint[];
  /** Changes that cannot be undone any more, so far. */
  readonly expired?: number;
  /** Reads these plants again, and returns what is still to be changed. Absent: a conflict is final. */
  readonly reread?: (ids: ReadonlySet<bigint>) => Promise<readonly PlantEdit[]>;
}

type Plants = Pick<Store, 'plants' | 'changes'>;

/**
 * The slices, in ascending order of ids or in the order of the request.
 * @param earlier what to wait for first: see `RunningGroups.whenEnded`.
 * @throws ServiceError `group_unknown` if there is nothing to undo; not after a wait, in which
 * the client may have got a report.
 */
export async function* toSlices(
  batch: Batch,
  store: Plants,
  retry: RetryWhileBusy,
  earlier: Promise<unknown> | undefined,
): AsyncGenerator<BatchSlice> {
  const hasWaited = earlier !== undefined;
  if (hasWaited) yield* waitFor(earlier);
  yield* sliceAction(batch, store, retry, hasWaited);
}

function sliceAction(
  batch: Batch,
  store: Plants,
  retry: RetryWhileBusy,
  canBeEmpty: boolean,
): AsyncIterable<BatchSlice> {
  switch (batch.action) {
    case 'setTag':
      return sliceSelection(batch.plants, { tag: batch.tag }, store, retry);
    case 'clearTag':
      return sliceSelection(batch.plants, { tag: null }, store, retry);
    case 'delete':
      return sliceSelection(batch.plants, null, store, retry);
    case 'restore':
      return sliceDeleted(batch.plants, store, retry);
    case 'undo':
      return sliceGroup(batch.undoes, store, retry, canBeEmpty);
  }
}

/** Yields empty slices until the earlier batches end: their reports keep the connection alive. */
async function* waitFor(earlier: Promise<unknown>): AsyncGenerator<BatchSlice> {
  const ended = earlier.then(() => true);
  let hasEnded = false;
  while (!hasEnded) {
    yield { edits: [] };
    hasEnded = await Promise.race([ended, sleep(pauseMs, false, { ref: false })]);
  }
}

function sliceSelection(
  plants: PlantSelection,
  to: PlantPatch | null,
  store: Plants,
  retry: RetryWhileBusy,
): AsyncIterable<BatchSlice> {
  if ('length' in plants) return sliceIds(plants, to);
  return plants.ids === undefined ? sliceMatching(plants, to, store, retry) : sliceIds(plants.ids, to);
}

async function* sliceIds(ids: readonly bigint[], to: PlantPatch | null): AsyncGenerator<BatchSlice> {
  for (const some of cut([...new Set(ids)], sliceRowsMax)) yield { edits: some.map((id) => ({ id, to })) };
}

async function* sliceMatching(
  filter: ListFilter,
  to: PlantPatch | null,
  store: Plants,
  retry: RetryWhileBusy,
): AsyncGenerator<BatchSlice> {
  // White space is no condition of a list. The description refuses ASCII white space.
  if (filter.name?.trim() === '' || filter.search?.trim() === '') return;
  const readEdits = async (after: bigint | undefined): Promise<readonly PlantEdit[]> =>
    (await readMatching(filter, after, store, retry)).map((from) => ({ id: from.id, from, to }));
  const readSlice = async (after: bigint | undefined): Promise<BatchSlice> => ({
    edits: await readEdits(after),
    reread: async (ids) => (await readEdits(after)).filter(({ id }) => ids.has(id)),
  });
  for (let slice = await readSlice(undefined); slice.edits.length > 0;) {
    yield slice;
    slice = await readSlice(slice.edits.at(-1)?.id);
  }
}

/** Resolves to the plants of one slice: none if no plant after the id matches. */
async function readMatching(
  filter: ListFilter,
  after: bigint | undefined,
  { plants }: Plants,
  retry: RetryWhileBusy,
): Promise<readonly StoredPlant[]> {
  const readPage = (query: PlantQuery): Promise<PlantPage> => retry(() => plants.list(query));
  const matching: StoredPlant[] = [];
  let query: PlantQuery | undefined = { ...filter, after, limit: readRowsMax };
  while (query !== undefined && matching.length < sliceRowsMax) {
    const page: PlantPage = await readPage(query);
    matching.push(...page.plants);
    const last = page.plants.at(-1);
    // A page that is full has no rest, but plants may follow it.
    query = page.next ?? (last === undefined ? undefined : { ...filter, after: last.id, limit: readRowsMax });
  }
  return matching;
}

async function* sliceDeleted(
  ids: readonly bigint[],
  { plants, changes }: Plants,
  retry: RetryWhileBusy,
): AsyncGenerator<BatchSlice> {
  for (const some of cut([...new Set(ids)], restoredRowsMax)) {
    const edits: PlantEdit[] = [];
    const [unchanged, unknown] = [new Array<bigint>(), new Array<bigint>()];
    const newest = new Map((await retry(() => changes.newest(some))).map((change) => [change.id, change]));
    for (const id of some) {
      const { plant, before } = newest.get(id) ?? {};
      if (plant === undefined && before !== undefined) edits.push({ id, from: null, to: toPatch(before) });
      // A plant may be older than the log.
      else if (plant ?? (await retry(() => plants.find(id)))) unchanged.push(id);
      else unknown.push(id);
    }
    yield { edits, unchanged, unknown };
  }
}

/** @param canBeEmpty whether a group without changes is no error. */
async function* sliceGroup(
  group: string,
  { changes }: Plants,
  retry: RetryWhileBusy,
  canBeEmpty: boolean,
): AsyncGenerator<BatchSlice> {
  let expired = 0;
  for (let after: bigint | undefined; ;) {
    const found = await retry(() => changes.ofGroup(group, sliceRowsMax, after));
    // The changes of the undo itself may remove others. Once all are removed, nothing is counted.
    expired = Math.max(expired, await retry(() => changes.expiredIn(group)));
    const lastId = found.at(-1)?.id;
    if (lastId === undefined) {
      if (after === undefined && !canBeEmpty) throw new ServiceError('group_unknown');
      yield { edits: [], expired };
      return;
    }
    const findChanges = async ([id, [first, second]]: readonly [bigint, readonly Change[]]): Promise<OwnChanges> => {
      // The next page may have more of the last plant.
      const isOnly = second === undefined && id !== lastId;
      return isOnly ? { newest: first, oldest: first } : findOwn(group, id, changes, retry);
    };
    const edits: PlantEdit[] = [];
    for (const some of cut([...Map.groupBy(found, ({ id }) => id)], historiesMax))
      edits.push(...(await Promise.all(some.map(findChanges))).flatMap(toUndoEdit));
    yield { edits, expired };
    after = lastId;
  }
}

/** What takes back the changes of one plant: nothing if none of them is kept any more. */
function toUndoEdit({ newest, oldest }: OwnChanges): readonly PlantEdit[] {
  if (newest === undefined) return [];
  const to = oldest?.before === undefined ? null : toPatch(oldest.before);
  return [{ id: newest.id, from: newest.plant ?? null, to }];
}

function* cut<Item>(items: readonly Item[], rowsMax: number): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += rowsMax) yield items.slice(from, from + rowsMax);
}

/** The patch that makes any plant, or none, to this one. */
function toPatch(plant: StoredPlant): PlantPatch {
  return Object.fromEntries(plantFields.map((field) => [field, plant[field] ?? null]));
}
