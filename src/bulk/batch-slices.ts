/**
 * What a batch does, in slices of some plants: from its action to the edits of each plant. Writes
 * nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Change } from '../domain/change-log.ts';
import { ServiceError } from '../domain/errors.ts';
import { plantFields } from '../domain/plant.ts';
import type { Batch, PlantPatch, PlantSelection, StoredPlant } from '../domain/schemas.ts';
import type { PlantEdit, PlantFilter, PlantPage, PlantQuery, Store } from '../domain/store.ts';
import { findOwn } from './own-changes.ts';
import type { RetryWhileBusy } from './retry-while-busy.ts';

/** Maximum plants of a slice. Others' writes wait less: `BatchRun` cuts a slice into writes. */
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

/** Some plants of the batch, each in one of its members. */
export interface BatchSlice {
  readonly edits: readonly PlantEdit[];
  /** Plants that are as wanted already. */
  readonly unchanged?: readonly bigint[];
  /** Ids that have no plant, and no deleted one in the change log. */
  readonly unknown?: readonly bigint[];
  /** Changes that cannot be undone any more, so far. */
  readonly expired?: number;
  /** Reads these plants again, and returns what is still to be changed. Absent: a conflict is final. */
  readonly again?: (ids: ReadonlySet<bigint>) => Promise<readonly PlantEdit[]>;
}

type Plants = Pick<Store, 'plants' | 'changes'>;

/**
 * The slices, in ascending order of ids or in the order of the request.
 * @param earlier batches to wait for.
 * @throws ServiceError `group_unknown` if there is nothing to undo; not after a wait, in which
 * the client may have got a report.
 */
export async function* toSlices(
  batch: Batch,
  store: Plants,
  retry: RetryWhileBusy,
  earlier: readonly Promise<unknown>[],
): AsyncGenerator<BatchSlice> {
  const ended = Promise.all(earlier).then(() => false);
  const hasEarlier = earlier.length > 0;
  for (let isWaiting = hasEarlier; isWaiting;) {
    // A reader gets a report: the connection is not silent.
    yield { edits: [] };
    isWaiting = await Promise.race([ended, sleep(pauseMs, true, { ref: false })]);
  }
  yield* toSlicesOf(batch, store, retry, hasEarlier);
}

function toSlicesOf(
  batch: Batch,
  store: Plants,
  retry: RetryWhileBusy,
  canBeEmpty: boolean,
): AsyncIterable<BatchSlice> {
  switch (batch.action) {
    case 'setTag':
      return slicesOf(batch.plants, { tag: batch.tag }, store, retry);
    case 'clearTag':
      return slicesOf(batch.plants, { tag: null }, store, retry);
    case 'delete':
      return slicesOf(batch.plants, null, store, retry);
    case 'restore':
      return slicesOfRestored(batch.plants, store, retry);
    case 'undo':
      return slicesOfUndone(batch.undoes, store, retry, canBeEmpty);
  }
}

function slicesOf(
  plants: PlantSelection,
  to: PlantPatch | null,
  store: Plants,
  retry: RetryWhileBusy,
): AsyncIterable<BatchSlice> {
  if ('length' in plants) return slicesOfIds(plants, to);
  return plants.ids === undefined ? slicesOfMatching(plants, to, store, retry) : slicesOfIds(plants.ids, to);
}

async function* slicesOfIds(ids: readonly bigint[], to: PlantPatch | null): AsyncGenerator<BatchSlice> {
  for (const some of cutDistinct(ids, sliceRowsMax)) yield { edits: some.map((id) => ({ id, to })) };
}

async function* slicesOfMatching(
  filter: PlantFilter,
  to: PlantPatch | null,
  { plants }: Plants,
  retry: RetryWhileBusy,
): AsyncGenerator<BatchSlice> {
  // White space is no condition of a list. The description refuses ASCII white space.
  if (filter.name?.trim() === '' || filter.search?.trim() === '') return;
  let after: bigint | undefined;
  for (;;) {
    const start = after;
    const find = async (): Promise<PlantEdit[]> => {
      const edits: PlantEdit[] = [];
      const pageAfter = (last: bigint | undefined): PlantQuery => ({ ...filter, after: last, limit: readRowsMax });
      let rest: PlantQuery | undefined = pageAfter(start);
      while (rest !== undefined && edits.length < sliceRowsMax) {
        const query: PlantQuery = rest;
        const { plants: found, next }: PlantPage = await retry(() => plants.list(query));
        edits.push(...found.map((from) => ({ id: from.id, from, to })));
        // A page that is full has no rest, but plants may follow it.
        rest = next ?? (found.length === 0 ? undefined : pageAfter(found.at(-1)?.id));
      }
      return edits;
    };
    const edits = await find();
    if (edits.length === 0) return;
    yield { edits, again: async (ids) => (await find()).filter(({ id }) => ids.has(id)) };
    after = edits.at(-1)?.id;
  }
}

async function* slicesOfRestored(
  ids: readonly bigint[],
  { plants, changes }: Plants,
  retry: RetryWhileBusy,
): AsyncGenerator<BatchSlice> {
  for (const some of cutDistinct(ids, restoredRowsMax)) {
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

async function* slicesOfUndone(
  group: string,
  { changes }: Plants,
  retry: RetryWhileBusy,
  canBeEmpty: boolean,
): AsyncGenerator<BatchSlice> {
  let after: bigint | undefined;
  for (let expired = 0; ;) {
    const found = await retry(() => changes.ofGroup(group, sliceRowsMax, after));
    // The changes of the undo itself may remove others. Once all are removed, nothing is counted.
    expired = Math.max(expired, await retry(() => changes.expiredIn(group)));
    if (found.length === 0) {
      if (after === undefined && !canBeEmpty) throw new ServiceError('group_unknown');
      yield { edits: [], expired };
      return;
    }
    after = found.at(-1)?.id;
    const last = after;
    const toEdit = async ([id, [first, second]]: readonly [bigint, readonly Change[]]): Promise<PlantEdit[]> => {
      // The next page may have more of the last plant.
      const isOnly = second === undefined && id !== last;
      const { newest, oldest } = isOnly ? { newest: first, oldest: first } : await findOwn(group, id, changes, retry);
      if (newest === undefined) return [];
      return [{ id, from: newest.plant ?? null, to: oldest?.before === undefined ? null : toPatch(oldest.before) }];
    };
    const edits: PlantEdit[] = [];
    for (const some of cutDistinct([...Map.groupBy(found, ({ id }) => id)], historiesMax))
      edits.push(...(await Promise.all(some.map(toEdit))).flat());
    yield { edits, expired };
  }
}

/** Each item once. */
function* cutDistinct<Item>(items: readonly Item[], rowsMax: number): Generator<readonly Item[]> {
  const all = [...new Set(items)];
  for (let from = 0; from < all.length; from += rowsMax) yield all.slice(from, from + rowsMax);
}

/** The patch that makes any plant, or none, to this one. */
function toPatch(plant: StoredPlant): PlantPatch {
  return Object.fromEntries(plantFields.map((field) => [field, plant[field] ?? null]));
}
