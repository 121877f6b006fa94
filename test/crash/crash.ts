/** `npm run crash`: the long form of every proof that kills the service. */
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCrashLoop, type Totals } from './crash-loop.ts';
import { runFailover } from '../failover/run-failover.ts';
import { createMigratedDatabase } from '../store/postgres/open-temporary-database.ts';
import { findServer, startKeeper } from '../store/postgres/servers.ts';
import { readArguments, readChoice, readCount } from '../support/command-line.ts';
import { type HistoryOptions, runHistory } from './history/run-history.ts';
import { buildLargeStore } from './large-store.ts';

/** Lives of the service in one history: the longer a history, the more it costs to check. */
const roundsPerHistory = 5;
const requestsPerRound = 5_000;

const help = `Usage: npm run crash -- [options]

  --rounds N    kills of a service on an empty store (100); the other parts take a third or fewer
  --plants N    plants in the large store (300000)
  --store NAME  sqlite or postgres (sqlite)
  --seed N      repeats a run (random)
  --help`;

const { values } = readArguments(
  {
    options: {
      rounds: { type: 'string', default: '100' },
      seed: { type: 'string', default: String(Date.now() % 1e9) },
      plants: { type: 'string', default: '300000' },
      store: { type: 'string', default: 'sqlite' },
      help: { type: 'boolean', default: false },
    },
  },
  help,
);
const rounds = readCount('--rounds', values.rounds);
const plants = readCount('--plants', values.plants);
const seed = readCount('--seed', values.seed, 0);
const store = readChoice('--store', values.store, ['sqlite', 'postgres']);
console.log(`seed          ${seed}`);
if (store === 'postgres') await killInstances();
else await killService();
console.log(process.exitCode === undefined ? '\nNo violation was found.' : '\nVIOLATIONS WERE FOUND.');

/** Kills one service on a data folder. */
async function killService(): Promise<void> {
  const large = await buildLargeStore(plants);
  try {
    console.log(`\nKills, empty store at first`);
    report(await runCrashLoop({ rounds, seed, onRound: showProgress(rounds) }));
    const largeRounds = Math.ceil(rounds / 3);
    console.log(`\nKills, ${plants} plants at first`);
    report(await runCrashLoop({ rounds: largeRounds, seed, large, onRound: showProgress(largeRounds) }));
    console.log('\nHistories of 32 clients, empty store at first');
    await reportHistories(Math.ceil(rounds / roundsPerHistory), (run) => run({}));
    console.log(`\nHistories of 32 clients, ${plants} plants at first`);
    await reportHistories(Math.ceil(rounds / roundsPerHistory / 3), async (run) => {
      await using root = await mkdtempDisposable(join(tmpdir(), 'plant-store-history-'));
      const folder = join(root.path, 'data');
      await large.copyTo(folder);
      await run({ folder });
    });
  } finally {
    await large.remove();
  }
}

/** Three instances on one PostgreSQL database; `npm run failover` kills the database. */
async function killInstances(): Promise<void> {
  console.log('\nKills of one or all of three instances');
  const kinds = ['kill an instance', 'kill all instances'] as const;
  const faults = Array.from({ length: rounds }, (_, round) => kinds[round % kinds.length] ?? kinds[0]);
  const { acknowledged, races, writableMs, ...findings } = await runFailover({ seed, faults });
  const details = Object.entries(findings).flatMap(([kind, found]) => found.map((line) => `${kind}: ${line}`));
  const lines = [
    `rounds        ${rounds}`,
    `acknowledged  ${acknowledged}`,
    `contended     ${races} ids`,
    `violations    ${details.length}`,
    `writable      ${(writableMs / 1000).toFixed(1)} s after a restart, at most`,
  ];
  console.log([...lines, ...details.slice(0, 20)].join('\n'));
  if (details.length > 0) process.exitCode = 1;
  console.log('\nHistories of 32 clients on three instances');
  const keeper = await startKeeper();
  await reportHistories(Math.ceil(rounds / roundsPerHistory), async (run) => {
    const database = await createMigratedDatabase(await findServer(18));
    await run({ database });
    await database.remove();
  });
  await keeper.end();
}

function showProgress(of: number): (totals: Totals) => void {
  return (totals) => {
    if (totals.rounds % 50 === 0) console.error(`${totals.rounds} of ${of} rounds`);
  };
}

function report({ rounds: done, acknowledged, races, resent, kills, ...findings }: Totals): void {
  const { lost, invented, torn, contended, wrong } = findings;
  const lines = [
    `rounds        ${done} (${[...kills].map(([moment, count]) => `${moment} ${count}`).join(', ')})`,
    `acknowledged  ${acknowledged}`,
    `lost          ${lost.length}`,
    `invented      ${invented.length}`,
    `torn          ${torn.length}`,
    `contended     ${races} ids, ${contended.length} decided wrongly`,
    `sent again    ${resent}, ${wrong.length} wrong answers`,
  ];
  const details = Object.values(findings).flatMap((each) => each.slice(0, 5));
  console.log([...lines, ...details].join('\n'));
  if (details.length > 0) process.exitCode = 1;
}

type RunOn = (store: Pick<HistoryOptions, 'folder' | 'database'>) => Promise<void>;

/** @param withStore runs each history on a store that has none of its plants. */
async function reportHistories(histories: number, withStore: (run: RunOn) => Promise<void>): Promise<void> {
  const sums = { operations: 0, snapshots: 0, violations: [] as string[] };
  for (let history = 0; history < histories; history += 1) {
    await withStore(async (store) => {
      const options = { seed: seed + history, rounds: roundsPerHistory, requests: requestsPerRound };
      const found = await runHistory({ ...options, ...store });
      sums.operations += found.operations;
      sums.snapshots += found.snapshots;
      sums.violations.push(...found.violations.map((line) => `SEED=${options.seed}: ${line}`));
    });
  }
  const lines = [
    `histories     ${histories} (${roundsPerHistory} kills each)`,
    `operations    ${sums.operations}`,
    `snapshots     ${sums.snapshots} lists and exports`,
    `violations    ${sums.violations.length}`,
  ];
  console.log([...lines, ...sums.violations.slice(0, 5)].join('\n'));
  if (sums.violations.length > 0) process.exitCode = 1;
}
