/** Concurrent creates over HTTP until the service is gone: fresh ids, replays, and ids that two writers race for. Judges nothing. */
import { Agent } from 'node:http';
import type { NewPlant } from '../../src/domain/schemas.ts';
import { otherFields } from '../support/field-values.ts';
import type { Attempt, Ledger } from './ledger.ts';
import { postPlant } from './send-request.ts';
import type { Random } from './random.ts';

/** Connections at once. */
const workerCount = 16;
const names: [string, ...string[]] = [
  'fern',
  '',
  'Ünïcode 🌱',
  "'); DROP TABLE plants; --",
  'name "quoted"\n',
  'x'.repeat(1000),
];

/** Resolves when every connection has failed or `isOver` says true, with no request under way. */
export async function runLoad(port: number, ledger: Ledger, random: Random, isOver: () => boolean): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: workerCount });
  const mine: Attempt[] = [];
  const send = (attempt: Attempt): Promise<boolean> => sendAttempt(port, ledger, attempt, agent);
  const work = async (): Promise<void> => {
    let isThere = true;
    while (isThere && !isOver()) {
      isThere = (await Promise.all(nextAttempts(ledger, random, mine).map(send))).every(Boolean);
    }
  };
  await Promise.all(Array.from({ length: workerCount }, work));
  agent.destroy();
}

/**
 * One attempt in ten repeats an old one, one in ten is a pair that contends for an id; `mine` gets
 * the new attempts.
 */
export function nextAttempts(ledger: Ledger, random: Random, mine: Attempt[]): readonly Attempt[] {
  const kind = random.integer(0, 9);
  const old = mine[random.integer(0, Math.max(0, mine.length - 1))];
  if (kind === 0 && old !== undefined) return [old];
  const plant = makePlant(ledger, random);
  const attempts = [ledger.add(plant)];
  if (kind === 1) attempts.push(ledger.add({ ...plant, name: `${plant.name.slice(0, 900)}, contended` }));
  mine.push(...attempts);
  return attempts;
}

/** Sends it, and notes what that taught. Resolves to false when the connection failed. */
export async function sendAttempt(port: number, ledger: Ledger, attempt: Attempt, agent: Agent): Promise<boolean> {
  const before = attempt.knowledge;
  ledger.noteSent(attempt);
  try {
    ledger.noteAnswer(attempt, before, await postPlant(port, attempt.plant, agent));
    return true;
  } catch {
    return false;
  }
}

/** A plant whose id is new to the ledger. */
export function makePlant(ledger: Ledger, random: Random): NewPlant {
  let id = random.int64();
  while (ledger.has(id)) id = random.int64();
  const name = `${random.pick(names)}${id % 1000n}`.slice(0, 1000);
  const others = Object.fromEntries(otherFields.map(([field, values]) => [field, random.pick(values)]));
  const tag = random.pick(names).slice(0, 20);
  return random.integer(0, 1) === 0 ? { id, name } : { id, name, tag, ...others };
}
