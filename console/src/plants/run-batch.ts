/** Runs a batch: shows how far it has come, says how it ended, and offers to undo it. */
import type { Batch, PlantClient } from '../../../src/client/client.ts';
import { makeGroup } from '../../../src/client/make-group.ts';
import { Observable } from '../observable.ts';
import { toReason } from '../session/reasons.ts';
import { addFarewell, noteError } from '../session/session.ts';
import { toCount } from '../ui/numbers.ts';
import { showToast } from '../ui/toasts.tsx';
import { announce } from './changes.ts';

export interface BatchWords {
  /** What happens: `Deleting`. */
  readonly doing: string;
  /** What has happened to the plants, of which the number is given: `118 plants deleted`. */
  readonly toDone: (plants: string) => string;
}

export interface RunningBatch {
  readonly doing: string;
  readonly read: bigint;
  readonly total: bigint | undefined;
}

/** Undefined while none runs. */
export const running = new Observable<RunningBatch | undefined>(undefined);

/**
 * Resolves to whether the batch was done to the end. Does nothing while another one runs.
 * @param total number of plants, if it is known.
 */
export async function runBatch(
  client: PlantClient,
  batch: Batch,
  { doing, toDone }: BatchWords,
  total?: bigint,
): Promise<boolean> {
  if (running.value !== undefined) return false;
  // A second try has the same group: it changes nothing twice.
  const grouped = { ...batch, group: batch.group ?? makeGroup() };
  const undo = {
    label: 'Undo',
    run: () => void runBatch(client, { action: 'undo', undoes: grouped.group }, undoing, changed),
  };
  let changed = 0n;
  const show = (read: bigint): void => running.set({ doing, read, total });
  show(0n);
  try {
    for (let read = 0n; ;) {
      const report = await client.batch(grouped, { onProgress: (now) => show(read + now.read) });
      read += report.read;
      changed += report.changed;
      // One request changes a million plants at most.
      if (!report.done) continue;
      const [refused] = report.errors;
      const text = toDone(toCount(changed, 'plant'));
      showToast({
        text: refused === undefined ? text : `${text}, ${toCount(report.refused, 'plant')} refused. ${refused.message}`,
        isBad: refused !== undefined,
        actions: batch.action === 'undo' || changed === 0n ? [] : [undo],
      });
      return true;
    }
  } catch (error) {
    noteError(error, 'write');
    const text = `${doing} has ended early.`;
    const again = { label: 'Try again', run: () => void runBatch(client, grouped, { doing, toDone }, total) };
    showToast({ text: `${text} ${toReason(error)}`, isBad: true, actions: [again] });
    addFarewell(text);
    return false;
  } finally {
    running.set(undefined);
    announce({ kind: 'many' });
  }
}

const undoing: BatchWords = { doing: 'Undoing', toDone: (plants) => `${plants} as before` };
