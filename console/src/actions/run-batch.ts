/**
 * Runs a batch: shows how far it has come, says how it ended, and offers to undo it. The service goes on to the end by itself: nothing
 * depends on the page staying open.
 */
import {
  type Batch,
  type BatchReport,
  importPrefix,
  parseJson,
  plantChanged,
  type PlantClient,
  PlantStoreError,
  toGroup,
  toJson,
  undoPrefix,
} from '../../../src/client/client.ts';
import { announcements } from '../copy/changes.ts';
import { OwnClient } from '../copy/own-client.ts';
import { Observable, useValue } from '../observable.ts';
import { untilBack } from '../session/connection.ts';
import { isAway, toReason } from '../session/reasons.ts';
import { addFarewell, currentSession, noteError, ofSession, session } from '../session/session.ts';
import { toCount } from '../ui/numbers.ts';
import { dropToast, offerMs, showToast } from '../session/toasts.tsx';
import { toShow } from './show-group.ts';
import { findLastBatch, keepLastBatch, type LastBatch } from './last-batch.ts';

/** Kept through a reload, so they have no functions. */
export interface BatchWords {
  /** What happens: `Deleting`. */
  readonly doing: string;
  /** What has happened, before and after the number of plants: `118 plants`, ` deleted`. */
  readonly done: readonly [before: string, after: string];
  /** The same of its undoing. */
  readonly undoing?: BatchWords;
  /** Its plants may be anywhere in the list: the message leads to them. */
  readonly isShown?: boolean;
  /** If it has happened to none: `Nothing was deleted`. */
  readonly none: string;
  /** The name of the plant if the batch has only one: said in place of `1 plant`. */
  readonly onlyName?: string | undefined;
}

interface Job {
  readonly batch: Batch & { readonly group: string };
  readonly words: BatchWords;
  readonly total?: bigint | undefined;
}

interface RunningBatch {
  readonly doing: string;
  readonly read: bigint;
  readonly total: bigint | undefined;
}

const batches = ofSession(() => ({
  running: new Observable<RunningBatch | undefined>(undefined),
  /** Ends with the last one. */
  last: Promise.resolve(true),
}));

export function useRunningBatch(): RunningBatch | undefined {
  return useValue(batches().running);
}

/** More plants than these are changed only after a question, and a hint is given to where it can be undone later. */
export const unaskedMax = 20n;
/** Refused plants that a message names. */
const namedMax = 3;

/**
 * Resolves to whether the batch was done to the end. Waits for those before it.
 * @param total number of plants, if it is known.
 */
export async function runBatch(client: PlantClient, batch: Batch, words: BatchWords, total?: bigint): Promise<boolean> {
  // A second try has the same group: it changes nothing twice.
  const job = { batch: { ...batch, group: toGroup(batch) }, words, total };
  const now = batches();
  const result = now.last.then(() => run(client, job));
  now.last = result;
  return result;
}

async function run(client: PlantClient, job: Job): Promise<boolean> {
  const { batch, words, total } = job;
  const { group } = batch;
  const { doing, isShown = false } = words;
  let changed = 0n;
  const { running } = batches();
  const show = (read: bigint): void => running.set({ doing, read, total });
  show(0n);
  const last = { group, doing, job: toJson(job) };
  keepLastBatch(last);
  try {
    for (let read = 0n; ;) {
      const report = await client.batch(batch, { onProgress: (part) => show(read + part.read) });
      read += report.read;
      changed += report.changed;
      // One request changes a million plants at most.
      if (!report.done) continue;
      // What was changed before it was interrupted needs no change now.
      const inAll = report.unchanged > 0n ? await countChanged(client, group) : undefined;
      if (inAll !== undefined && inAll > changed) changed = inAll;
      const text = toResult({ ...report, changed }, words);
      keepLastBatch({ group, doing, end: { text, at: changed === 0n ? 0 : Date.now() } });
      showToast({
        text: changed > unaskedMax ? `${text} You can undo it later, too, in Activity.` : text,
        isBad: report.refused + (report.expired ?? 0n) > 0n,
        actions: [...(isShown ? toShow(client, group, changed) : []), ...toUndo(client, group, words, changed)],
        about: group,
      });
      return true;
    }
  } catch (error) {
    noteError(error);
    const text = `${doing} was interrupted.`;
    addFarewell(text);
    void offerRest(client, last, text, error);
    return false;
  } finally {
    running.set(undefined);
    announcements.call({ kind: 'many' });
  }
}

/** Says how far a batch has come that did not end, once the service responds, and offers what can be done then. It stays until that is chosen. */
async function offerRest(client: PlantClient, last: LastBatch, text: string, error?: unknown): Promise<void> {
  const { group, doing } = last;
  const end = (result: string): void => keepLastBatch({ group, doing, end: { text: result, at: 0 } });
  const onDismiss = (): void => end('');
  const reason = error === undefined || isAway(error) ? '' : ` ${toReason(error)}`;
  if (error !== undefined) {
    const next = reason || ' You can continue when the service responds.';
    showToast({ text: text + next, isBad: true, about: group, onDismiss });
  }
  const count = await countChanged(client, group);
  if (count === undefined) return;
  const job = last.job === undefined ? undefined : (parseJson(last.job) as unknown as Job);
  const { total, words = someChange } = job ?? {};
  const changed = toChanged(count, words);
  const result = `${changed}.`;
  const undo = toUndo(client, group, words, count);
  if (count === total) {
    end(result);
    showToast({ text: result, actions: undo, about: group });
    return;
  }
  const told = `${text} ${changed}${count === 0n ? '' : ' so far'}.${reason}`;
  const canContinue = job !== undefined && !(error instanceof PlantStoreError && error.status < 429);
  if (!canContinue) end(told);
  const label = count === 0n ? 'Try again' : 'Continue';
  const again = canContinue ? [{ label, run: () => void runBatch(client, job.batch, words, total) }] : [];
  showToast({ text: told, isBad: true, actions: [...again, ...undo], about: group, onDismiss });
}

/** @param changed number of plants, if it is known; of none, there is nothing to undo. */
function toUndo(
  client: PlantClient,
  group: string,
  { undoing = toUndone(group), onlyName }: BatchWords,
  changed?: bigint,
) {
  const run = (): void => void undoBatch(client, group, { ...undoing, onlyName }, changed);
  return changed === 0n ? [] : [{ label: 'Undo', run }];
}

/** Asks the change log how many plants a group has changed, once the service responds. Undefined if the session cannot know. */
async function countChanged(client: PlantClient, group: string): Promise<bigint | undefined> {
  for (;;) {
    await untilBack();
    if (currentSession()?.client !== client) return undefined;
    try {
      const { groupPlants } = await client.changesPage({ order: 'desc', pageSize: 1, exceptGroup: [group] });
      return BigInt(groupPlants?.[0] ?? 0);
    } catch (error) {
      noteError(error);
      if (!isAway(error)) return undefined;
    }
  }
}

/** Gives all plants of a group what they had before. @param total their number, if it is known. */
export async function undoBatch(
  client: PlantClient,
  group: string,
  words = toUndone(group),
  total?: bigint,
): Promise<boolean> {
  dropToast(group);
  return runBatch(client, { action: 'undo', undoes: group }, words, total);
}

function toUndone(group: string): BatchWords {
  // What an import created is deleted, and what it replaced is as before.
  const what = group.startsWith(importPrefix) ? 'Import' : 'Change';
  const done = group.startsWith(undoPrefix) ? (['', ' changed back'] as const) : ([`${what} undone: `, ''] as const);
  return { doing: 'Undoing', done, none: 'Nothing was undone' };
}

/** Where the words of the batch are not known. */
const someChange: BatchWords = { doing: '', done: ['', ' changed'], none: 'No plant was changed' };

/** `117 plants deleted`. */
function toChanged(changed: bigint, { done, onlyName, none }: BatchWords): string {
  const plants = toCount(changed, 'plant');
  return changed === 0n ? none : done.join(changed === 1n ? (onlyName ?? plants) : plants);
}

/** `117 plants deleted. 1 plant not: changed since (7).` */
function toResult({ read, changed, refused, errors, expired = 0n }: BatchReport, words: BatchWords): string {
  const unchanged = read - changed - refused;
  const others = errors.filter(({ error }) => error === plantChanged);
  const gone = errors.length - others.length;
  const left = refused - BigInt(gone);
  const ids = others.slice(0, namedMax).map(({ id }) => id);
  return [
    toChanged(changed, words),
    unchanged > 0n && `${toCount(unchanged, 'plant')} needed no change`,
    left > 0n && `${toCount(left, 'plant')} not: changed since (${ids.join(', ')}${left > namedMax ? ', …' : ''})`,
    gone > 0 && `${toCount(gone, 'plant')} no longer ${gone === 1 ? 'exists' : 'exist'}`,
    expired > 0n && `${toCount(expired, 'change')} not: no longer in the change log`,
  ]
    .flatMap((each) => (each === false ? [] : [`${each}.`]))
    .join(' ');
}

/** After a reload, or a new sign-in. */
const tellLast = ofSession(() => {
  const batch = findLastBatch();
  const current = currentSession();
  if (current === undefined || batch === undefined) return;
  const { group, doing, end } = batch;
  if (current.client instanceof OwnClient) current.client.writes.claimGroup(group);
  if (end === undefined) void offerRest(current.client, batch, `${doing} was not over when the page was left.`);
  else {
    const stayMs = end.at + offerMs - Date.now();
    const actions = toUndo(current.client, group, someChange);
    if (stayMs >= 0) showToast({ text: end.text, actions, stayMs, about: group });
  }
});
session.subscribe(() => currentSession() !== undefined && tellLast());
