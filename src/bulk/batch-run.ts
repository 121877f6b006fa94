/**
 * One batch: its action on many plants, slice by slice, to its end, whether anybody waits for it or
 * not. How its report is sent is for `http/operations/batch.ts`.
 */
import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type ErrorCode, ServiceError } from '../domain/errors.ts';
import { textLengthOf } from '../domain/plant.ts';
import type { Principal } from '../domain/principal.ts';
import type { Batch } from '../domain/schemas.ts';
import type { EditOutcome, PlantEdit, Store } from '../domain/store.ts';
import { toJson } from '../json/to-json.ts';
import type { Semaphore } from '../limits/semaphore.ts';
import { type BatchSlice, toSlices } from './batch-slices.ts';
import { findRunning, runInGroup, toUse } from './group.ts';
import { type RetryWhileBusy, toRetryWhileBusy } from './retry-while-busy.ts';
import { Tally, withProgress } from './tally.ts';

/**
 * Changes after which no further slice begins, so that up to 499 more follow. By default, the log
 * keeps as many: most of a batch, and usually all of it, can be undone.
 */
const usualChangedMax = 1_000_000;
/** Length of the texts of one write, in UTF-16 units: bounds memory and the time of a commit. */
const writeLengthMax = 262_144;
/** How often to read a plant again that someone else changes at the same moment. */
const rereadsMax = 2;
/** What a plant costs by the rate limit, in bytes: about its row in an import. */
const plantBytes = 64;

const codeOf = { unknown: 'plant_unknown', conflict: 'plant_changed' } as const satisfies Partial<
  Record<EditOutcome, ErrorCode>
>;

export interface BatchOptions {
  readonly batch: Batch;
  /** Who makes the changes. */
  readonly principal: Pick<Principal, 'tokenId' | 'limitKey'>;
  /** Limits the batches that run: each has a place until it ends. */
  readonly places: Semaphore;
  /** Resolves to whether the token of `principal` is still valid. Never rejects. */
  readonly isAllowed: () => Promise<boolean>;
  /** Aborted if the client should send the rest later. */
  readonly shutdown: AbortSignal;
  /** Is called with the cost of each slice, in bytes of a request. */
  readonly charge: (bytes: number) => void;
  /** Default: `usualChangedMax`. */
  readonly changedMax?: number | undefined;
}

export class BatchRun {
  readonly #group: string;
  readonly #options: BatchOptions;
  readonly #store: Store;
  readonly #retryWhileBusy: RetryWhileBusy;
  /** Only who chose the group can have used it before. */
  readonly #mayBeRepeated: boolean;
  readonly #tally = new Tally(['changed', 'unchanged']);
  /** Changes that an undo could not give back. */
  #expired = 0;
  #next = Promise.withResolvers<undefined>();

  constructor(store: Store, options: BatchOptions) {
    const { group } = options.batch;
    this.#group = group ?? randomBytes(12).toString('base64url');
    this.#mayBeRepeated = group !== undefined;
    this.#options = options;
    this.#store = store;
    this.#retryWhileBusy = toRetryWhileBusy(options);
  }

  /** Resolves after the next slice. */
  get nextSlice(): Promise<undefined> {
    return this.#next.promise;
  }

  /**
   * Returns the report of the batch. @param done absent while the batch goes on: without the
   * errors.
   */
  toJson(done?: boolean): string {
    const tally = this.#tally;
    return toJson({
      group: this.#group,
      done: done ?? false,
      ...tally.toCounts(),
      expired: this.#expired === 0 ? undefined : this.#expired,
      errors: done === undefined ? [] : tally.errors,
    });
  }

  /**
   * Resolves to whether all plants are counted. Call once.
   * @throws ServiceError `store_busy` at once if there is no place.
   * @throws ServiceError `group_taken`, `group_unknown`; or `store_busy`, `shutting_down`,
   * `token_invalid` or an error of the store, whose detail gives the progress.
   */
  toEnd(): Promise<boolean> {
    const { batch, principal, places } = this.#options;
    const use = toUse(batch, principal.tokenId);
    const free = places.take(principal.limitKey);
    // A batch of the same group would change a plant twice. A batch that still runs would go on
    // after its undo.
    const groups = batch.action === 'undo' ? [this.#group, batch.undoes] : [this.#group];
    const earlier = findRunning(this.#store, groups);
    return runInGroup(this.#store, this.#group, use, (check) => this.#writeSlices(check, earlier).finally(free));
  }

  /** @param earlier batches to wait for. */
  async #writeSlices(checkGroup: () => Promise<void>, earlier: readonly Promise<unknown>[]): Promise<boolean> {
    const { batch, charge, changedMax = usualChangedMax } = this.#options;
    try {
      if (this.#mayBeRepeated) await this.#retryWhileBusy(checkGroup);
      for await (const slice of toSlices(batch, this.#store, this.#retryWhileBusy, earlier)) {
        if (slice.expired !== undefined) this.#expired = slice.expired;
        if (slice.edits.length > 0 && this.#tally.count('changed') >= changedMax) return false;
        charge(plantBytes * slice.edits.length);
        await this.#write(slice);
        this.#next.resolve(undefined);
        this.#next = Promise.withResolvers();
        // Other requests proceed.
        await setImmediate();
      }
      return true;
    } catch (error) {
      const remedy = `sending the batch again with the group ${this.#group} finishes it`;
      throw withProgress(error, (code) => this.#describeProgress(code), remedy);
    }
  }

  #report(id: bigint, outcome: EditOutcome): void {
    if (outcome === 'unknown' || outcome === 'conflict') this.#tally.refuse({ id }, new ServiceError(codeOf[outcome]));
    else this.#tally.add(outcome);
  }

  /** Writes the edits of a slice and reports all of its plants. */
  async #write({ edits, unchanged = [], unknown = [], again }: BatchSlice): Promise<void> {
    for (const id of unchanged) this.#report(id, 'unchanged');
    for (const id of unknown) this.#report(id, 'unknown');
    const done = await this.#findDone(edits);
    for (const id of done) this.#report(id, 'unchanged');
    let left = edits.filter(({ id }) => !done.has(id));
    for (let rereads = 0; left.length > 0; rereads++) {
      const conflicts = new Set<bigint>();
      const canRepeat = again !== undefined && rereads < rereadsMax;
      await this.#edit(left, (id, outcome) => {
        if (outcome === 'conflict' && canRepeat) conflicts.add(id);
        else this.#report(id, outcome);
      });
      left = canRepeat && conflicts.size > 0 ? [...(await again(conflicts))] : [];
      for (const { id } of left) conflicts.delete(id);
      // Someone else has changed them, and they match no more.
      for (const id of conflicts) this.#report(id, 'conflict');
    }
  }

  /** The plants that the group has changed already, by an earlier request. */
  async #findDone(edits: readonly PlantEdit[]): Promise<ReadonlySet<bigint>> {
    if (!this.#mayBeRepeated) return new Set();
    const ids = edits.map(({ id }) => id);
    return this.#retryWhileBusy(() => this.#store.changes.changedIn(this.#group, ids));
  }

  async #edit(edits: readonly PlantEdit[], settle: (id: bigint, outcome: EditOutcome) => void): Promise<void> {
    const { plants } = this.#store;
    const { tokenId } = this.#options.principal;
    for (const some of cutIntoWrites(edits, () => plants.bulkRows())) {
      const outcomes = await this.#retryWhileBusy(() => plants.edit(some, this.#group, tokenId));
      some.forEach(({ id }, index) => settle(id, outcomes[index] ?? 'conflict'));
    }
  }

  #describeProgress(code: ErrorCode): string {
    const changed = this.#tally.count('changed');
    const isUnknown = code === 'store_failed';
    if (changed === 0 && !isUnknown) return 'No plant was changed';
    return `${isUnknown ? 'At least ' : ''}${changed} plants were changed`;
  }
}

/** @param findRowsMax asked again after each write. */
function* cutIntoWrites(edits: readonly PlantEdit[], findRowsMax: () => number): Generator<readonly PlantEdit[]> {
  let some: PlantEdit[] = [];
  let length = 0;
  let rowsMax = findRowsMax();
  for (const edit of edits) {
    length += textLengthOf(edit.from ?? {}) + textLengthOf(edit.to ?? {});
    some.push(edit);
    if (length < writeLengthMax && some.length < rowsMax) continue;
    yield some;
    some = [];
    length = 0;
    rowsMax = findRowsMax();
  }
  if (some.length > 0) yield some;
}
