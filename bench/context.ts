/** What each part needs: options, generator, report, the service, and what it is compared with. */
import { chmodSync, cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createMigratedDatabase } from '../test/store/postgres/open-temporary-database.ts';
import { createCluster, startServer } from '../test/store/postgres/server.ts';
import type { Options } from './options.ts';
import { Report } from './report.ts';
import { type Captured, ownRoot, type Service, startService } from './service.ts';
import { type Server, Workspace } from './workspace.ts';
import { type Generator, openWrk } from './wrk.ts';

/** The baseline of a comparison. */
export interface Base extends Server {
  readonly name: string;
}

export interface Bench {
  readonly options: Options;
  readonly workspace: Workspace;
  readonly generator: Generator;
  readonly report: Report;
  readonly elapsedSeconds: () => number;
  /** Whether no further turn should start. */
  readonly isLate: () => boolean;
  /** Starts the service on a fresh store. */
  readonly startService: () => Promise<Service>;
  /** Starts what it is compared with, on a fresh store. */
  readonly startBase: () => Promise<Base>;
  /** The service with plants from index 0, `options.rows` of them; one for the run. */
  readonly largeService: () => Promise<Service>;
  /** What it is compared with. @param captured what a bare server answers. */
  readonly startLargeBase: (captured: Captured) => Promise<Base>;
  /** Reserves a range of plant indexes and returns the first. */
  readonly takeIndexes: (count: number) => number;
  /** Stops everything that still runs. */
  readonly close: () => Promise<void>;
}

export function openBench(options: Options): Bench {
  const { against, profile } = options;
  const startedAt = performance.now();
  const workspace = new Workspace();
  const report = new Report();
  const database = options.store === 'postgres' ? openDatabases(workspace) : undefined;
  const elapsedSeconds = (): number => (performance.now() - startedAt) / 1000;
  let nextIndex = options.rows;
  const servers: Server[] = [];
  const keep = <S extends Server>(server: S): S => {
    servers.push(server);
    return server;
  };

  const startOwn = async (folder: string, url?: string): Promise<Service> => {
    const env = url === undefined ? {} : { DATABASE_URL: url, PLANT_STORE_WEBHOOK_KEY_FILE: writeKey(workspace) };
    return keep(await startService(workspace, { folder, profile, env }));
  };
  /** On SQLite: of the other checkout, or the service itself. */
  const startOther = async (folder: string): Promise<Base> => {
    const service = await startService(workspace, { folder, root: against ?? ownRoot });
    return keep({ ...service, name: against === undefined ? 'the service on SQLite' : 'the other checkout' });
  };
  const startBare = async (captured?: Captured): Promise<Base> => {
    const args = [join(import.meta.dirname, 'bare-server.ts')];
    if (captured !== undefined) args.push(workspace.write('captured.json', JSON.stringify(captured)));
    const server = await workspace.start({ command: process.execPath, args }, /listening on (\d+)/);
    return keep({ ...server, name: captured === undefined ? 'bare echo' : 'bare server, the same bytes' });
  };
  const seed = async (location: string): Promise<string> => {
    // The older of two checkouts writes the files: the newer one can read them.
    const args = [join(against ?? ownRoot, 'bench', 'seed.ts'), location, String(options.rows)];
    await workspace.run({ command: process.execPath, args });
    return location;
  };

  let seeded: Promise<string> | undefined;
  let large: Promise<Service> | undefined;
  let largeBase: Promise<Base> | undefined;
  const seedFolder = (): Promise<string> => (seeded ??= seed(workspace.makePath('large')));
  const copyFolder = async (): Promise<string> => {
    const folder = workspace.makePath('data');
    cpSync(await seedFolder(), folder, { recursive: true });
    return folder;
  };
  const isBare = against === undefined && database === undefined;
  return {
    options,
    workspace,
    report,
    generator: openWrk(workspace),
    elapsedSeconds,
    isLate: () => elapsedSeconds() > options.limitSeconds,
    startService: async () => startOwn(workspace.makePath('data'), await database?.create()),
    startBase: () => (isBare ? startBare() : startOther(workspace.makePath('data'))),
    largeService: () =>
      (large ??= (async () => {
        if (database === undefined) return startOwn(await copyFolder());
        return startOwn(workspace.makePath('data'), await seed(await database.create()));
      })()),
    startLargeBase: (captured) =>
      isBare ? startBare(captured) : (largeBase ??= copyFolder().then((folder) => startOther(folder))),
    takeIndexes: (count) => (nextIndex += count) - count,
    close: async () => {
      for (const server of servers) await server.stop();
      await database?.stop();
    },
  };
}

/** A PostgreSQL server of the run, with settings of a small server of its own. */
function openDatabases(workspace: Workspace): { create(): Promise<string>; stop(): Promise<void> } {
  const settings = { shared_buffers: '256MB', max_wal_size: '4GB', max_connections: '200' };
  const folder = workspace.makePath('postgres');
  mkdirSync(folder);
  // The server runs as another user.
  for (const each of [workspace.folder, folder]) chmodSync(each, 0o755);
  const options = { major: 18, folder, settings } as const;
  const started = createCluster(options).then((password) => startServer(options, password));
  return {
    create: async () => (await createMigratedDatabase((await started).url)).url,
    stop: async () => (await started).stop(),
  };
}

function writeKey(workspace: Workspace): string {
  return workspace.write('webhook-key', Buffer.alloc(32, 1).toString('base64'));
}
