/** Records histories of clients that race on a few plants while the service is killed and started again, and checks them. */
import { mkdtempDisposable } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from '../fault.ts';
import { type TemporaryDatabase, untilAlone, withConnection } from '../../store/postgres/open-temporary-database.ts';
import { makeRandom } from '../random.ts';
import { sendRequest } from '../send-request.ts';
import { startService } from '../service-process.ts';
import { checkHistory } from './check-history.ts';
import { checkLog, type Log } from './check-log.ts';
import { Client, type ClientOptions } from './client.ts';
import { absent, type State, toState } from './operation.ts';
import { type Content, Recorder } from './recorder.ts';

export interface HistoryOptions {
  readonly seed: number;
  /** Lives of the service; each ends with SIGKILL. */
  readonly rounds: number;
  /** Most requests in one life. By number and not by time, so that a slow machine checks as much. */
  readonly requests: number;
  readonly fault?: Fault;
  /** A data folder that holds other plants. Their ids are above those of the history. */
  readonly folder?: string;
  /** Where several instances store their plants; absent: one in a data folder. */
  readonly database?: TemporaryDatabase;
}

export interface HistoryReport {
  /** A line for each violation; none when every history is linearizable. */
  readonly violations: readonly string[];
  readonly operations: number;
  readonly snapshots: number;
}

const clientCount = 32;
/** Instances of the service on one database. */
const instanceCount = 3;
/** The lowest ids that there are, so that a short page shows all of them. */
const ids = Array.from({ length: 20 }, (_, index) => BigInt(index) - 2n ** 63n) as [bigint, ...bigint[]];

export async function runHistory(options: HistoryOptions): Promise<HistoryReport> {
  const { seed, rounds, requests, folder, database } = options;
  await using own = folder === undefined ? await mkdtempDisposable(join(tmpdir(), 'plant-store-history-')) : undefined;
  const random = makeRandom(seed);
  const recorder = new Recorder(ids);
  let log: Log = new Map();
  const common: Omit<ClientOptions, 'number' | 'port'> = { ids, random, recorder, hasOthers: own === undefined };
  for (let round = 0; round <= rounds; round += 1) {
    const services = await startServices(folder ?? own?.path ?? '', options);
    const end = { isOver: false };
    const untilRequests = async (count: number): Promise<void> => {
      while (recorder.requests < count && !end.isOver) await wait(2);
    };
    try {
      await readAll(new Client({ ...common, number: -1, port: services[0].port }));
      if (round === rounds) {
        log = await readLog(services[0].port);
        continue;
      }
      const clients = Array.from({ length: clientCount }, (_, number) => {
        const { port } = services[number % services.length] ?? services[0];
        return new Client({ ...common, number, port });
      });
      const load = Promise.all(clients.map((client) => client.run(() => end.isOver)));
      void load.finally(() => (end.isOver = true));
      const half = recorder.requests + random.integer(requests >> 2, requests >> 1);
      await untilRequests(half);
      // The other instances go on.
      if (services.length > 1) random.pick(services).kill('SIGKILL');
      await untilRequests(half + random.integer(requests >> 2, requests >> 1));
      for (const service of services) service.kill('SIGKILL');
      end.isOver = true;
      await load;
    } finally {
      for (const service of services) service.kill('SIGKILL');
      await Promise.all(services.map((service) => service.exited));
      // What killed instances have sent may still be under way.
      if (database !== undefined) await withConnection(database, untilAlone);
      recorder.noteEndOfService();
    }
  }
  return {
    violations: [...recorder.wrong, ...checkHistory(recorder), ...checkLog(recorder, log)],
    operations: [...recorder.operations.values()].reduce((sum, each) => sum + each.length, 0),
    snapshots: recorder.snapshots.length,
  };
}

type Service = Awaited<ReturnType<typeof startService>>;

async function startServices(
  folder: string,
  { fault, database }: HistoryOptions,
): Promise<readonly [Service, ...Service[]]> {
  const first = startService({ folder, fault, env: { DATABASE_URL: database?.url } });
  const others = Array.from({ length: database === undefined ? 0 : instanceCount - 1 }, () =>
    startService({ folder, fault, env: { DATABASE_URL: database?.url } }),
  );
  return Promise.all([first, ...others]);
}

/** Reads every plant once, so that each history ends with a read, and each life begins with one. */
async function readAll(client: Client): Promise<void> {
  for (const id of ids) await client.find(id);
  await client.list();
  client.close();
}

/** Follows the change log of a running service to its end. */
async function readLog(port: number): Promise<Log> {
  const log = new Map<bigint, State[]>(ids.map((id) => [id, []]));
  const agent = new Agent({ keepAlive: true });
  for (let path = '/plants/changes?limit=1000'; ;) {
    const { status, headers, body } = await sendRequest(port, { method: 'GET', path }, agent);
    if (status !== 200) throw new Error(`GET ${path} was answered with ${status} ${body}`);
    const changes = JSON.parse(body.replaceAll(/"id":(-?\d+)/g, '"id":"$1"')) as { id: string; plant?: Content }[];
    for (const { id, plant } of changes) log.get(BigInt(id))?.push(plant === undefined ? absent : toState(plant));
    if (changes.length === 0) break;
    const [, query = ''] = /^<(.*)>; rel="next"$/.exec(String(headers['link'] ?? '')) ?? [];
    path = `/plants/changes${query}`;
  }
  agent.destroy();
  return log;
}
