/**
 * POST /plants/batch: one action on many plants, step by step, to its end: also if the client has
 * gone, so that a page that is closed leaves nothing half done.
 */
import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { ServiceError } from '../../domain/errors.ts';
import type { PlantSelection } from '../../domain/schemas.ts';
import type { EditOutcome, PlantEdit, Store } from '../../domain/store.ts';
import { ok, type Reply, securityHeaders } from '../wire/reply.ts';
import type { ContentStream } from '../wire/send-stream.ts';
import { BatchReport } from './batch-report.ts';
import { type BatchStep, toSteps } from './batch-steps.ts';
import type { Call } from './call.ts';
import type { Places } from '../steps/places.ts';
import { type LongRequest, retryWhileBusy } from './retry-while-busy.ts';
import { checkGroup, type GroupUse } from './group-use.ts';
import { findRunning, noteRunning } from './running-groups.ts';

/** Changes after which a batch ends: the log keeps as many, so that all can be undone. */
const changedMax = 1_000_000;
/** Length of the texts of one write, in UTF-16 units: bounds memory and the time of a commit. */
const writeLengthMax = 262_144;
/** How often to read a plant again that someone else changes at the same moment. */
const triesMax = 3;
/** What a plant costs by the rate limit, in bytes: about its row in an import. */
const plantBytes = 64;

const ndjson = 'application/x-ndjson';

export interface BatchLimits {
  readonly places: Places;
  /** Aborted when the service starts to shut down. */
  readonly shutdown: AbortSignal;
  /** Default: `changedMax`. */
  readonly changedMax?: number;
}

/**
 * POST /plants/batch
 * @throws ServiceError `batch_invalid`, `group_taken`, `group_unknown`; or `store_busy`, `shutting_down`, `token_invalid` or an error
 * of the store, whose detail gives the progress.
 */
export async function batchPlants(call: Call<'batchPlants'>, store: Store, limits: BatchLimits): Promise<Reply> {
  const { body, mediaType, principal } = call;
  if ('plants' in body) checkSelection(body.plants);
  const report = new BatchReport(body.group ?? randomBytes(12).toString('base64url'));
  const run = new Run(report);
  const free = limits.places.take(principal.limitKey);
  // The same group would change a plant twice; the one to undo would go on after its undoing.
  const waitsFor = [report.group, ...(body.action === 'undo' ? [body.undoes] : [])];
  const earlier = waitsFor.flatMap((group) => findRunning(store, group)?.ended ?? []);
  const use = {
    by: principal.tokenId,
    action: body.action,
    ...(body.action === 'setTag' ? { tag: body.tag } : {}),
  };
  const runningUse = findRunning(store, report.group)?.use;
  const running = run.toEnd(call, store, { ...limits, earlier, use, runningUse }).finally(free);
  noteRunning(store, report.group, running, use);
  if (mediaType !== ndjson) return ok(report.toJson(await running));
  // It goes on without its reader; a reader gets the error by the stream.
  running.catch(() => undefined);
  // An error before the first step has its own status.
  await Promise.race([running, run.nextStep]);
  return { status: 200, headers: { ...securityHeaders, 'content-type': ndjson }, stream: toProgress(run, running) };
}

function checkSelection(plants: PlantSelection): void {
  if ('length' in plants) return;
  // Enumerations of a boolean are none in most languages: the schema allows false.
  for (const member of ['all', 'untagged'] as const)
    if (plants[member] === false)
      throw new ServiceError('batch_invalid', { detail: `"plants.${member}" must be true` });
}

async function* toProgress(run: Run, running: Promise<boolean>): ContentStream {
  for (;;) {
    const step = run.nextStep.then(() => undefined);
    yield `${run.report.toJson()}\n`;
    const done = await Promise.race([running, step]);
    if (done === undefined) continue;
    yield `${run.report.toJson(done)}\n`;
    return {};
  }
}

/** What the batch is, and the requests before it. */
interface Others {
  readonly use: GroupUse;
  readonly runningUse: GroupUse | undefined;
  readonly earlier: readonly Promise<unknown>[];
}

class Run {
  readonly report: BatchReport;
  #next = Promise.withResolvers<undefined>();

  constructor(report: BatchReport) {
    this.report = report;
  }

  /** Resolves after the next step. */
  get nextStep(): Promise<undefined> {
    return this.#next.promise;
  }

  /** Resolves to whether all plants are counted. */
  async toEnd(
    call: Call<'batchPlants'>,
    store: Store,
    { shutdown, earlier, use, runningUse, ...limits }: BatchLimits & Others,
  ): Promise<boolean> {
    const { body } = call;
    const request = { isAllowed: () => call.isAllowed(), shutdown };
    const { report } = this;
    // Only who chose the group can have used it before.
    const mayBeRepeated = body.group !== undefined;
    const writer = new Writer(store, { ...request, group: report.group, by: use.by }, mayBeRepeated);
    try {
      if (mayBeRepeated) await retryWhileBusy(() => checkGroup(store.changes, report.group, use, runningUse), request);
      for await (const step of toSteps(body, store, (read) => retryWhileBusy(read, request), earlier)) {
        if (step.expired !== undefined) report.expired = step.expired;
        if (step.edits.length > 0 && report.changed >= (limits.changedMax ?? changedMax)) return false;
        call.charge(plantBytes * step.edits.length);
        await writer.write(step, report);
        this.#noteStep();
        // Other requests proceed.
        await setImmediate();
      }
      return true;
    } catch (error) {
      throw withProgress(error, report);
    }
  }

  #noteStep(): void {
    this.#next.resolve(undefined);
    this.#next = Promise.withResolvers();
  }
}

interface Writing extends LongRequest {
  readonly group: string;
  readonly by: string;
}

class Writer {
  readonly #store: Store;
  readonly #writing: Writing;
  readonly #mayBeRepeated: boolean;

  constructor(store: Store, writing: Writing, mayBeRepeated: boolean) {
    this.#store = store;
    this.#writing = writing;
    this.#mayBeRepeated = mayBeRepeated;
  }

  /** Writes the edits of a step and reports all of its plants. */
  async write({ edits, unchanged = [], unknown = [], again }: BatchStep, report: BatchReport): Promise<void> {
    for (const id of unchanged) report.add(id, 'unchanged');
    for (const id of unknown) report.add(id, 'unknown');
    const done = await this.#findDone(edits);
    for (const id of done) report.add(id, 'unchanged');
    let left = edits.filter(({ id }) => !done.has(id));
    for (let tries = 1; left.length > 0; tries++) {
      const conflicts = new Set<bigint>();
      const canRepeat = again !== undefined && tries < triesMax;
      await this.#edit(left, (id, outcome) => {
        if (outcome === 'conflict' && canRepeat) conflicts.add(id);
        else report.add(id, outcome);
      });
      left = canRepeat && conflicts.size > 0 ? [...(await again(conflicts))] : [];
      for (const { id } of left) conflicts.delete(id);
      // What matches no more is as someone else wants it.
      for (const id of conflicts) report.add(id, 'conflict');
    }
  }

  /** The plants that the group has changed already, by an earlier request. */
  async #findDone(edits: readonly PlantEdit[]): Promise<ReadonlySet<bigint>> {
    if (!this.#mayBeRepeated) return new Set();
    const ids = edits.map(({ id }) => id);
    return retryWhileBusy(() => this.#store.changes.changedIn(this.#writing.group, ids), this.#writing);
  }

  async #edit(edits: readonly PlantEdit[], settle: (id: bigint, outcome: EditOutcome) => void): Promise<void> {
    const { group, by } = this.#writing;
    for (const some of cutIntoWrites(edits, () => this.#store.plants.stepRows())) {
      const outcomes = await retryWhileBusy(() => this.#store.plants.edit(some, group, by), this.#writing);
      some.forEach(({ id }, index) => settle(id, outcomes[index] ?? 'conflict'));
    }
  }
}

/** @param findRowsMax asked again after each write. */
function* cutIntoWrites(edits: readonly PlantEdit[], findRowsMax: () => number): Generator<readonly PlantEdit[]> {
  let some: PlantEdit[] = [];
  let length = 0;
  let rowsMax = findRowsMax();
  for (const edit of edits) {
    length += lengthOf(edit.from) + lengthOf(edit.to);
    some.push(edit);
    if (length < writeLengthMax && some.length < rowsMax) continue;
    yield some;
    some = [];
    length = 0;
    rowsMax = findRowsMax();
  }
  if (some.length > 0) yield some;
}

function lengthOf(plant: PlantEdit['from'] | PlantEdit['to']): number {
  return Object.values(plant ?? {}).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : 0),
    0,
  );
}

/** Returns the same error with the progress of the batch. */
function withProgress(error: unknown, { changed, group }: BatchReport): unknown {
  if (!(error instanceof ServiceError) || error.code === 'group_unknown' || error.code === 'group_taken') return error;
  const isUnknown = error.code === 'store_failed';
  const done =
    changed > 0 || isUnknown ? `${isUnknown ? 'At least ' : ''}${changed} plants were changed` : 'No plant was changed';
  return new ServiceError(error.code, {
    detail: `${done}; sending the batch again with the group ${group} finishes it`,
    cause: error.cause ?? error,
  });
}
