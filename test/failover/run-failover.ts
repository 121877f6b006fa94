/**
 * Three instances of the service on a primary with two standbys, under load, while all that can fail fails. Afterwards every plant, every
 * count and every change is compared with what clients were told.
 */
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Connection } from '../../src/store/postgres/connect/connection.ts';
import { findProblems } from '../../src/store/postgres/maintenance/check.ts';
import { type Attempt, type Findings, Ledger, noFindings } from '../crash/ledger.ts';
import { nextAttempts, sendAttempt } from '../crash/load.ts';
import { makeRandom, type Random } from '../crash/random.ts';
import {
  connectTo,
  createMigratedDatabase,
  selectPlants,
  withConnection,
} from '../store/postgres/open-temporary-database.ts';
import { ReplicatedCluster } from '../store/postgres/replicated-cluster.ts';
import { type Cleanup, cleanUp, makeFolder } from '../support/clean-up.ts';
import { type Forwarder, forward } from '../support/forward.ts';
import { type FaultKind, faultKinds } from './fault-kinds.ts';
import { Follower } from './follower.ts';
import { Instance } from './instance.ts';
import { type Weakness, Weakening } from './weaknesses.ts';
import { until } from '../support/until.ts';

export interface FailoverOptions {
  readonly seed: number;
  readonly faults: readonly FaultKind[];
  readonly weakness?: Weakness | undefined;
  readonly onFault?: (fault: FaultKind, report: FailoverReport) => void;
}

export interface FailoverReport extends Findings {
  /** Differences between plants and changes, by the database and by a client that followed the change log throughout. */
  readonly changes: string[];
  /**
   * Errors of the service as a process: an instance that ended by itself, or a /readyz that
   * contradicts the results of writes.
   */
  readonly service: string[];
  acknowledged: number;
  /** Contended ids that were decided. */
  races: number;
  /** Longest time from a promotion, or from the end of another fault, until every instance stored writes, in milliseconds. */
  writableMs: number;
}

const writableWithinMs = 120_000;
const workerCount = 16;
const retryPauseMs = 50;

export async function runFailover({ seed, faults, weakness, onFault }: FailoverOptions): Promise<FailoverReport> {
  const random = makeRandom(seed);
  const weakening = weakness === undefined ? undefined : new Weakening(weakness);
  const report: FailoverReport = {
    ...noFindings(),
    changes: [],
    service: [],
    acknowledged: 0,
    races: 0,
    writableMs: 0,
  };
  const ledger = new Ledger(report);
  await using stack = new AsyncDisposableStack();
  const scope: Cleanup = { after: (callback) => stack.defer(callback) };
  const folder = await makeFolder(scope);
  const cluster = await ReplicatedCluster.start(18);
  cleanUp(scope, () => cluster.close());
  const { url } = await createMigratedDatabase(cluster.serverUrl(cluster.primary));
  const database = new URL(url).pathname.slice(1);
  const primary = { connect: () => connectTo(`${cluster.serverUrl(cluster.primary)}/${database}`) };
  const servers = await Promise.all(cluster.nodes.map(({ port }) => forward(scope, () => [port], weakening?.pass)));
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const instances = [0, 1, 2].map(
    (number) =>
      new Instance({
        folder: join(folder, `${number}`),
        url: cluster.urlOf(database).replace(/@[^/]*/, `@${hosts}`),
      }),
  ) as [Instance, ...Instance[]];
  for (const instance of instances) cleanUp(scope, () => instance.close());
  await Promise.all(instances.map((instance) => instance.start()));
  const balancer = await forward(scope, () => instances.map(({ port }) => port));
  const follower = new Follower(balancer.port);
  const untilWritable = async (): Promise<void> => {
    const times = await Promise.all(instances.map((each) => each.untilWritable(ledger, random, writableWithinMs)));
    report.writableMs = Math.max(report.writableMs, ...times);
  };
  await untilWritable();
  for (const fault of faults) {
    const end = { isOver: false };
    const isOver = (): boolean => end.isOver;
    const load = Promise.all([
      runLoad(balancer, ledger, random, isOver),
      follower.run(isOver),
      ...instances.map((instance) => instance.watch(ledger, random, isOver)),
    ]);
    await wait(random.integer(300, 800));
    const forwarders = [...servers, balancer];
    await faultKinds[fault]({ cluster, instances, forwarders, random, untilWritable }).finally(
      () => (end.isOver = true),
    );
    await load;
    await cluster.untilStreaming(2);
    await follower.readToEnd();
    const changes = await withConnection(primary, (connection) => judge(connection, ledger));
    report.changes.push(...changes);
    report.service.push(...instances.flatMap((instance) => instance.faults.splice(0)));
    report.acknowledged = ledger.acknowledged;
    report.races = ledger.races;
    onFault?.(fault, report);
  }
  follower.close();
  report.changes.push(...follower.compare(await withConnection(primary, (connection) => selectPlants(connection))));
  weakening?.requireUsed();
  return report;
}

/** Creates, replays and races for ids through the balancer; each is sent until it is answered for certain. */
async function runLoad({ port }: Forwarder, ledger: Ledger, random: Random, isOver: () => boolean): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 2 * workerCount });
  const mine: Attempt[] = [];
  const send = async (attempt: Attempt): Promise<void> => {
    for (;;) {
      const isAnswered = await sendAttempt(port, ledger, attempt, agent);
      if ((isAnswered && attempt.knowledge !== 'unknown' && attempt.knowledge !== 'absent') || isOver()) return;
      await wait(retryPauseMs);
    }
  };
  const work = async (): Promise<void> => {
    while (!isOver()) await Promise.all(nextAttempts(ledger, random, mine).map(send));
  };
  await Promise.all(Array.from({ length: workerCount }, work));
  agent.destroy();
}

/** Compares the primary with the ledger once nothing is under way and the log is read. Resolves to what is wrong with the changes. */
async function judge(connection: Connection, ledger: Ledger): Promise<readonly string[]> {
  const ask = async (sql: string): Promise<readonly (readonly unknown[])[]> =>
    (await connection.run(sql, [], 60_000)).rows;
  const underWay = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_xid IS NOT NULL`;
  await until(async () => (await ask(underWay)).length === 0, 'no transaction is under way');
  ledger.settle(await selectPlants(connection));
  ledger.findings.torn.push(...(await findProblems(connection)));
  const other = await ask(`SELECT coalesce(p.id, c.id), count(c.id) FROM plants AS p FULL JOIN changes AS c USING (id)
    GROUP BY 1 HAVING count(c.id) <> 1 OR count(p.id) = 0 LIMIT 10`);
  return other.map(([id, count]) => `plant ${String(id)} has ${String(count)} changes`);
}
