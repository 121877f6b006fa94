/** Rebuilds the disk after losses of power at many events of a recording, and has each state checked. */
import { mkdtempDisposable, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeRandom } from '../../crash/random.ts';
import { Disk, survivals } from './disk.ts';
import type { Recording } from './recording.ts';

export interface LossOptions {
  readonly recording: Recording;
  /** Number of states. */
  readonly states: number;
  readonly seed: number;
  /** Returns what is wrong with the rebuilt folder; `sent` is all that had left the process by then. */
  readonly check: (folder: string, sent: string) => Promise<readonly string[]>;
}

/** Returns a line for each broken promise. */
export async function losePower({ recording, states, seed, check }: LossOptions): Promise<string[]> {
  const random = makeRandom(seed);
  const { events } = recording;
  const disk = new Disk(recording);
  // Between any two events, evenly: the first and the last state are always among them.
  const places = Array.from({ length: states }, (_, index) => {
    const event = events[Math.round((index * events.length) / (states - 1))];
    return { at: event?.at ?? Infinity, survival: survivals[index % survivals.length] ?? 'nothing' };
  });
  await using root = await mkdtempDisposable(join(tmpdir(), 'plant-store-power-'));
  const findings: string[] = [];
  for (const [number, { at, survival }] of places.entries()) {
    const folder = join(root.path, String(number));
    disk.advanceTo(at);
    disk.rebuild(folder, survival, random);
    const sent = events.filter((event) => event.kind === 'send' && event.at < at);
    const text = sent.map((event) => (event.kind === 'send' ? event.text : '')).join('\n');
    const found = await check(folder, text).catch((error: unknown) => [String(error)]);
    findings.push(...found.map((line) => `Power lost at event ${at}, ${survival} of the rest survived: ${line}`));
    await rm(folder, { recursive: true, force: true });
  }
  return findings;
}
