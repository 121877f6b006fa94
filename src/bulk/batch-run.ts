/**
 * One batch: its action on many plants, slice by slice, to its end, whether anybody waits for it or
 * not. How its report is sent is for `http/operations/batch.ts`.
 */
import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type ErrorCode, ServiceError } from '../domain/errors.ts';
import { textLengthOf } from '../domain/plant.ts';
import type { Batch } from '../domain/schemas.ts';
import type { EditOutcome, PlantEdit, Store } from '../domain/store.ts';
import { toJson } from '../json/to-json.ts';
import { type BatchSlice, toSlices } from './batch-slices.ts';
import { type GroupUse, requireGroup, toUse } from './group.ts';
import { Report, withProgress } from './report.ts';
import { type RetryWhileBusy, toRetryWhileBusy } from './retry-while-busy.ts';
import type { RunOptions } from './run-options.ts';

/**
 * Changes after which no further slice begins, so that up to 499 more follow. By default, the log
 * keeps as many: most of a batch, and usually all of it, can be undone.
 */
export const usualChangedMax = 1_000_000;
/**
 * A write ends once its texts have this length, in UTF-16 units: bounds memory and the time of a
 * commit.
 */
const writeLengthMax = 262_144;
/** How often to read a plant again that someone else changes at the same moment. */
const rereadsMax = 2;
/** What a plant costs by the rate limit, in bytes: about its row in an import. */
const plantBytes = 64;

const codeOf = { unknown: 'plant_unknown', conflict: 'plant_changed' } as const satisfies Partial<
  Record<EditOutcome, ErrorCode>
>;

export interface BatchRunOptions extends RunOptions {
  readonly batch: Batch;
  /** Is called with the cost of each slice, in bytes of a request. */
  readonly charge: (bytes: number) => void;
  /** Default: `usualChangedMax`. */
  readonly changedMax?: number | undefined;
}

export class BatchRun {
  readonly #group: string;
  readonly #options: BatchRunOptions;
  readonly #store: Store;
  readonly #retryWhileBusy: RetryWhileBusy;
  /** Only who chose the group can have used it before. */
  readonly #mayBeRepeated: boolean;
  readonly #report = new Report(['changed', 'unchanged']);
  /** Changes that an undo could not give back. */
  #expired = 0;
  #next = Promise.withResolvers<undefined>();

  constructor(store: Store, options: BatchRunOptions) {
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

  /** Returns the report so far, as JSON: without the errors. */
  toProgress(): string {
    return this.#toJson(false, []);
  }

  /**
   * Resolves to the report, as JSON: `done` if all plants are counted. Call once.
   * @throws ServiceError `store_busy` at once if there is no place.
   * @throws ServiceError `group_taken`, `group_unknown`; or `store_busy`, `shutting_down`,
   * `token_invalid` or an error of the store, whose detail gives the progress.
   */
  async complete(): Promise<string> {
    const { batch, principal, groups, places } = this.#options;
    const use = toUse(batch, principal.tokenId);
    groups.require(this.#group, use);
    const free = places.take(principal.limitKey);
    // A batch of the same group would change a plant twice. A batch that still runs would go on
    // after its undo.
    const earlier = groups.whenEnded(batch.action === 'undo' ? [this.#group, batch.undoes] : [this.#group]);
    const report = this.#writeSlices(use, earlier).finally(free);
    groups.add(this.#group, use, report);
    return report;
  }

  /** @param earlier what to wait for: see `RunningGroups.whenEnded`. */
  async #writeSlices(use: GroupUse, earlier: Promise<unknown> | undefined): Promise<string> {
    const { batch, charge, changedMax = usualChangedMax } = this.#options;
    const { changes } = this.#store;
    try {
      if (this.#mayBeRepeated) await this.#retryWhileBusy(() => requireGroup(changes, this.#group, use));
      for await (const slice of toSlices(batch, this.#store, this.#retryWhileBusy, earlier)) {
        if (slice.expired !== undefined) this.#expired = slice.expired;
        if (slice.edits.length > 0 && this.#report.count('changed') >= changedMax)
          return this.#toJson(false, this.#report.errors);
        charge(plantBytes * slice.edits.length);
        await this.#write(slice);
        this.#next.resolve(undefined);
        this.#next = Promise.withResolvers();
        // Other requests proceed.
        await setImmediate();
      }
      return this.#toJson(true, this.#report.errors);
    } catch (error) {
      const remedy = `sending the batch again with the group ${this.#group} finishes it`;
      throw withProgress(error, (code) => this.#describeProgress(code), remedy);
    }
  }

  #toJson(done: boolean, errors: readonly object[]): string {
    const expired = this.#expired === 0 ? undefined : this.#expired;
    return toJson({ group: this.#group, done, ...this.#report.toCounts(), expired, errors });
  }

  #add(id: bigint, outcome: EditOutcome): void {
    if (outcome === 'unknown' || outcome === 'conflict') this.#report.refuse({ id }, new ServiceError(codeOf[outcome]));
    else this.#report.add(outcome);
  }

  /** Writes the edits of a slice, and counts all of its plants. */
  async #write({ edits, unchanged = [], unknown = [], reread }: BatchSlice): Promise<void> {
    for (const id of unchanged) this.#add(id, 'unchanged');
    for (const id of unknown) this.#add(id, 'unknown');
    const done = await this.#findDone(edits);
    for (const id of done) this.#add(id, 'unchanged');
    let left = edits.filter(({ id }) => !done.has(id));
    // Each round writes what is left. Plants with a conflict are read again, and those that still
    // match are left for the next round. A conflict is final if the plant matches no more, after
    // `rereadsMax` rereads, or without `reread`.
    for (let rereads = 0; left.length > 0; rereads++) {
      const conflicts = new Set<bigint>();
      const canReread = reread !== undefined && rereads < rereadsMax;
      await this.#edit(left, (id, outcome) => {
        if (outcome === 'conflict' && canReread) conflicts.add(id);
        else this.#add(id, outcome);
      });
      left = canReread && conflicts.size > 0 ? [...(await reread(conflicts))] : [];
      const idsLeft = new Set(left.map(({ id }) => id));
      for (const id of conflicts.difference(idsLeft)) this.#add(id, 'conflict');
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
    const changed = this.#report.count('changed');
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
