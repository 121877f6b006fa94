/**
 * Runs a batch: shows how far it has come, says how it ended, and offers to undo it. The service goes on to the end by itself: nothing
 * depends on the page staying open.
 */
import { type Batch, type BatchReport, type PlantClient, PlantStoreError } from '../../../src/client/client.ts';
import { importPrefix, toGroup } from '../../../src/client/make-group.ts';
import { plantChanged } from '../../../src/domain/error-numbers.ts';
import { announce } from '../copy/changes.ts';
import { OwnClient } from '../copy/own-client.ts';
import { Observable, useValue } from '../observable.ts';
import { untilBack } from '../session/connection.ts';
import { isAway, toReason } from '../session/reasons.ts';
import { addFarewell, currentSession, noteError, ofSession, session } from '../session/session.ts';
import { toCount } from '../ui/numbers.ts';
import { dropToast, offerMs, showToast } from '../session/toasts.tsx';
import { findLastBatch, keepLastBatch } from './last-batch.ts';

export interface BatchWords {
  /** What happens: `Deleting`. */
  readonly doing: string;
  /** What has happened to the plants, of which the number is given: `118 plants deleted`. */
  readonly toDone: (plants: string) => string;
  /** The same of its undoing. */
  readonly undoing?: BatchWords;
  /** If it has happened to none: `Nothing was deleted`. */
  readonly none: string;
  /** The only plant of the batch: named in place of `1 plant`. */
  readonly only?: string | undefined;
}

export interface RunningBatch {
  readonly doing: string;
  readonly read: bigint;
  readonly total: bigint | undefined;
}

interface Batches {
  /** Undefined while none runs. */
  readonly running: Observable<RunningBatch | undefined>;
  /** Ends with the last one. */
  last: Promise<unknown>;
  /** A message has said where a batch can be undone later. */
  hasHint: boolean;
}

const batches = ofSession((): Batches => ({
  running: new Observable<RunningBatch | undefined>(undefined),
  last: Promise.resolve(),
  hasHint: false,
}));

export function useRunningBatch(): RunningBatch | undefined {
  return useValue(batches().running);
}

/** Refused plants that a message names. */
const namedMax = 3;

/**
 * Resolves to whether the batch was done to the end. Waits for those before it.
 * @param total number of plants, if it is known.
 */
export async function runBatch(client: PlantClient, batch: Batch, words: BatchWords, total?: bigint): Promise<boolean> {
  // A second try has the same group: it changes nothing twice.
  const grouped = { ...batch, group: toGroup(batch) };
  const now = batches();
  const result = now.last.then(() => run(client, grouped, words, total));
  now.last = result;
  return result;
}

async function run(
  client: PlantClient,
  batch: Batch & { readonly group: string },
  words: BatchWords,
  total: bigint | undefined,
): Promise<boolean> {
  const { group } = batch;
  const { doing, undoing, only } = words;
  let changed = 0n;
  const undo = { label: 'Undo', run: () => void undoBatch(client, group, { ...(undoing ?? asBefore), only }, changed) };
  const now = batches();
  const { running } = now;
  const show = (read: bigint): void => running.set({ doing, read, total });
  show(0n);
  keepLastBatch({ group, doing });
  try {
    for (let read = 0n; ;) {
      const report = await client.batch(batch, { onProgress: (part) => show(read + part.read) });
      read += report.read;
      changed += report.changed;
      // One request changes a million plants at most.
      if (!report.done) continue;
      const text = toResult({ ...report, changed }, words);
      keepLastBatch({ group, doing, end: { text, at: changed === 0n ? 0 : Date.now() } });
      const isHinted = changed === 0n || now.hasHint;
      now.hasHint ||= !isHinted;
      showToast({
        text: isHinted ? text : `${text}. You can undo it later, too, in Activity.`,
        isBad: report.refused + (report.expired ?? 0n) > 0n,
        actions: changed === 0n ? [] : [undo],
        about: group,
      });
      return true;
    }
  } catch (error) {
    noteError(error, 'write');
    const text = `${doing} was interrupted.`;
    addFarewell(text);
    const reason = toReason(error);
    showToast({ text: `${text} ${reason}`, isBad: true, about: group });
    const again = { label: 'Try again', run: () => void runBatch(client, batch, words, total) };
    void countChanged(client, group).then((count) => {
      if (count === undefined) return;
      changed = count;
      const result = toChanged(count, words);
      const isBad = count !== total;
      const more = isAway(error) ? '' : ` ${reason}`;
      const end = isBad ? `${text} ${result}${count === 0n ? '' : ' so far'}.${more}` : result;
      keepLastBatch({ group, doing, end: { text: end, at: 0 } });
      const isFinal = error instanceof PlantStoreError && error.status < 429;
      const actions = [...(isBad && !isFinal ? [again] : []), ...(count === 0n ? [] : [undo])];
      showToast({ text: end, isBad, actions, about: group });
    });
    return false;
  } finally {
    running.set(undefined);
    announce({ kind: 'many' });
  }
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
      noteError(error, 'read');
      if (!isAway(error)) return undefined;
    }
  }
}

/** Gives all plants of a group what they had before. @param total their number, if it is known. */
export async function undoBatch(
  client: PlantClient,
  group: string,
  words = group.startsWith(importPrefix) ? importUndone : asBefore,
  total?: bigint,
): Promise<boolean> {
  dropToast(group);
  return runBatch(client, { action: 'undo', undoes: group }, words, total);
}

const asBefore: BatchWords = {
  doing: 'Undoing',
  toDone: (plants) => `${plants} as before`,
  none: 'Nothing was undone',
};
/** What the import created is deleted, and what it replaced is as before. */
const importUndone: BatchWords = { ...asBefore, toDone: (plants) => `Import undone: ${plants}` };

/** `117 plants deleted`. */
function toChanged(changed: bigint, { toDone, only, none }: BatchWords): string {
  const plants = toCount(changed, 'plant');
  return changed === 0n ? none : toDone(changed === 1n ? (only ?? plants) : plants);
}

/** `117 plants deleted. 1 plant not: changed since (7)`. */
function toResult({ changed, unchanged, refused, errors, expired = 0n }: BatchReport, words: BatchWords): string {
  const others = errors.filter(({ error }) => error === plantChanged);
  const gone = errors.length - others.length;
  const left = refused - BigInt(gone);
  const ids = others.slice(0, namedMax).map(({ id }) => id);
  return [
    toChanged(changed, words),
    ...(unchanged > 0n ? [`${toCount(unchanged, 'plant')} needed no change`] : []),
    ...(left > 0n
      ? [`${toCount(left, 'plant')} not: changed since (${ids.join(', ')}${left > namedMax ? ', …' : ''})`]
      : []),
    ...(gone > 0 ? [`${toCount(gone, 'plant')} no longer ${gone === 1 ? 'exists' : 'exist'}`] : []),
    ...(expired > 0n ? [`${toCount(expired, 'change')} not: no longer in the change log`] : []),
  ].join('. ');
}

/** After a reload, or a new sign-in. */
const tellLast = ofSession(() => {
  const batch = findLastBatch();
  const current = currentSession();
  if (current === undefined || batch === undefined) return;
  const { group, doing, end } = batch;
  if (current.client instanceof OwnClient) current.client.writes.claimGroup(group);
  const now = Date.now();
  const undo = { label: 'Undo', run: () => void undoBatch(current.client, group) };
  if (end === undefined) {
    void countChanged(current.client, group).then((count) => {
      if (count === undefined) return;
      const result = count === 0n ? 'No plant was changed' : `${toCount(count, 'plant')} changed so far`;
      const text = `${doing} was not over when the page was left. ${result}.`;
      // Only once: later, the activity has it.
      keepLastBatch({ group, doing, end: { text, at: 0 } });
      showToast({ text, isBad: true, actions: count === 0n ? [] : [undo], about: group });
    });
    return;
  }
  const stayMs = end.at + offerMs - now;
  if (stayMs >= 0) showToast({ text: end.text, actions: [undo], stayMs, about: group });
});
session.subscribe(() => currentSession() !== undefined && tellLast());
