/**
 * Kills the service under load, again and again, and compares what is on disk with what was answered.
 * SQLite survives the death of a process in every mode, so this cannot detect a missing fsync: test/faults/ does.
 */
import { mkdtempDisposable } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Fault, KillPoint } from './fault.ts';
import type { LargeStore } from './large-store.ts';
import { type Findings, Ledger, noFindings } from './ledger.ts';
import { runLoad, sendAttempt } from './load.ts';
import { makeRandom, type Random } from './random.ts';
import { readAdded, readStored } from './read-stored.ts';
import { spawnService, startService, type ServiceProcess } from './service-process.ts';

export interface LoopOptions {
  readonly rounds: number;
  readonly seed: number;
  /** Injected in every round instead of the planned kills: each round is then killed at a random moment. */
  readonly fault?: Fault;
  /** The store that each data folder begins with. */
  readonly large?: LargeStore;
  readonly onRound?: (totals: Totals) => void;
}

export interface Totals extends Findings {
  rounds: number;
  acknowledged: number;
  /** Contended ids that were decided. */
  races: number;
  /** Replays and lost races that were sent again after a restart. */
  resent: number;
  /** Rounds by the moment of the kill. */
  readonly kills: Map<Moment, number>;
}

/** A named point in the store, or the harness's clock: in a start, under load, after SIGTERM. */
type Moment = KillPoint | 'random' | 'random-shutdown';

export const moments: readonly [Moment, ...Moment[]] = [
  'random',
  'before-commit',
  'after-commit',
  'random',
  'checkpoint',
  'close',
  'random-shutdown',
  'start',
];

/** A new data folder after this many rounds keeps the check after each round short. */
const roundsPerFolder = 50;
/** Most plants that are sent again after each restart. */
const resentMax = 64;
/** How many of them at once. */
const resentAtOnce = 16;
/** A planned kill must come within this time, in milliseconds. */
const killTimeoutMs = 120_000;

export async function runCrashLoop({ rounds, seed, fault, large, onRound }: LoopOptions): Promise<Totals> {
  const random = makeRandom(seed);
  const totals: Totals = { ...noFindings(), rounds: 0, acknowledged: 0, races: 0, resent: 0, kills: new Map() };
  while (totals.rounds < rounds) {
    await using root = await mkdtempDisposable(join(tmpdir(), 'plant-store-crash-'));
    const folder = join(root.path, 'data');
    await large?.copyTo(folder);
    await runFolder(folder, Math.min(roundsPerFolder, rounds - totals.rounds), totals);
  }
  return totals;

  async function runFolder(folder: string, folderRounds: number, before: Totals): Promise<void> {
    const ledger = new Ledger(before);
    const run = { folder, ledger, random, large };
    for (let round = 1; round <= folderRounds; round += 1) {
      const moment = fault === undefined ? (moments[totals.rounds % moments.length] ?? 'random') : 'random';
      const resent = await runRound({ ...run, moment, fault });
      totals.resent += resent;
      totals.rounds += 1;
      totals.kills.set(moment, (totals.kills.get(moment) ?? 0) + 1);
      onRound?.(totals);
    }
    const service = await startService({ folder });
    const resent = await compare({ ...run, port: service.port });
    totals.resent += resent;
    service.kill('SIGKILL');
    await service.exited;
    // A large store is too large for a complete check in each round.
    if (large !== undefined) totals.torn.push(...(await readStored(folder)).faults);
    totals.acknowledged += ledger.acknowledged;
    totals.races += ledger.races;
  }
}

interface Run {
  readonly folder: string;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly large: LargeStore | undefined;
}

/**
 * Runs one life of the service: start, check of the earlier lives, load, SIGKILL. Resolves to the
 * number of plants that were sent again.
 */
async function runRound({
  moment,
  fault,
  ...run
}: Run & { readonly moment: Moment; readonly fault: Fault | undefined }): Promise<number> {
  const { folder, ledger, random } = run;
  const service = spawnService({ folder, fault: fault ?? planKill(moment, random) });
  const end = { isGone: false, isLate: false };
  const gone = service.exited.finally(() => (end.isGone = true));
  const timer = setTimeout(() => {
    end.isLate = true;
    service.kill('SIGKILL');
  }, killTimeoutMs);
  let resent = 0;
  const port = await service.ready;
  if (port !== undefined) {
    resent = await compare({ ...run, port });
    const { acknowledged } = ledger;
    const load = runLoad(port, ledger, random, () => end.isGone);
    // What a fault loses must have been acknowledged.
    while (fault !== undefined && ledger.acknowledged === acknowledged && !end.isGone) await wait(1);
    await strike(service, moment, random);
    await load;
  }
  const { code, signal, output } = await gone;
  clearTimeout(timer);
  // After SIGTERM the service may be faster than the clock.
  const isPlanned = signal === 'SIGKILL' || (moment === 'random-shutdown' && code === 0);
  if (!isPlanned || end.isLate) throw new Error(`The kill "${moment}" did not come (${code} ${signal}): ${output}`);
  return resent;
}

function planKill(moment: Moment, random: Random): Fault | undefined {
  switch (moment) {
    case 'before-commit':
    case 'after-commit':
      return { kind: 'kill', at: moment, nth: random.integer(8, 60) };
    case 'checkpoint':
      return { kind: 'kill', at: moment, nth: random.integer(1, 4), delayUs: random.integer(0, 3_000) };
    case 'close':
      return { kind: 'kill', at: moment, nth: 1, delayUs: random.integer(0, 3_000) };
    case 'start':
      return { kind: 'kill', at: moment, nth: random.integer(1, 5) };
    case 'random':
    case 'random-shutdown':
      return undefined;
  }
}

/** Does from outside what the moment needs; a named point needs at most SIGTERM. */
async function strike(service: ServiceProcess, moment: Moment, random: Random): Promise<void> {
  if (moment !== 'random' && moment !== 'random-shutdown' && moment !== 'close') return;
  await wait(random.integer(10, 300));
  if (moment !== 'random') service.kill('SIGTERM');
  if (moment === 'close') return;
  if (moment === 'random-shutdown') await wait(random.integer(0, 60));
  service.kill('SIGKILL');
}

/** Compares the store of a service that has just started with the ledger, and sends again some of what was sent before. */
async function compare({ folder, port, ledger, random, large }: Run & { readonly port: number }): Promise<number> {
  const { rows, faults } = await (large === undefined ? readStored(folder) : readAdded(folder, large));
  ledger.findings.torn.push(...faults);
  ledger.settle(rows);
  const attempts = ledger.attempts();
  const first = random.integer(0, Math.max(0, attempts.length - resentMax));
  const chosen = attempts.slice(first, first + resentMax);
  const agent = new Agent({ keepAlive: true, maxSockets: resentAtOnce });
  const sent = await Promise.all(chosen.map((attempt) => sendAttempt(port, ledger, attempt, agent)));
  agent.destroy();
  return sent.filter(Boolean).length;
}
