/** A PostgreSQL server of the run, with databases that have the current schema. */
import { chmodSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import {
  createMigratedDatabase,
  runAsAdmin,
  withConnection,
  connectTo,
} from '../../test/store/postgres/open-temporary-database.ts';
import { createCluster, startServer } from '../../test/store/postgres/server.ts';
import type { Workspace } from '../workspace.ts';

/** Clock ticks per second in /proc (proc(5)). */
const ticks = 100;
const statementMs = 120_000;

/** As for a small server of its own, not for the many of the tests. */
const settings = { shared_buffers: '256MB', max_wal_size: '4GB', autovacuum_max_workers: '3', max_connections: '200' };

export interface BenchServer {
  /** Resolves to the URL of a database with the schema and no rows. */
  readonly createDatabase: () => Promise<string>;
  /** Delays each commit, as a synchronous standby does. Commits that come together wait together. */
  readonly delayCommits: (milliseconds: number) => Promise<void>;
  /** CPU time of all its processes so far, in seconds. */
  readonly cpuSeconds: () => number;
  readonly stop: () => Promise<void>;
}

export async function startBenchServer(workspace: Workspace): Promise<BenchServer> {
  const folder = workspace.makeFolder('postgres');
  mkdirSync(folder);
  for (const each of [workspace.folder, folder]) chmodSync(each, 0o755);
  const options = { major: 18, folder, settings } as const;
  const server = await startServer(options, await createCluster(options));
  const pid = server.child.pid ?? 0;
  process.on('exit', () => server.child.kill('SIGQUIT'));
  return {
    createDatabase: async () => (await createMigratedDatabase(server.url)).url,
    delayCommits: async (milliseconds) => {
      await runAsAdmin(server.url, `ALTER SYSTEM SET commit_delay = ${milliseconds * 1_000}`);
      await runAsAdmin(server.url, 'ALTER SYSTEM SET commit_siblings = 0');
      await runAsAdmin(server.url, 'SELECT pg_reload_conf()');
    },
    cpuSeconds: () => readTreeCpu(pid),
    stop: () => server.stop(),
  };
}

/** Runs one statement. Resolves to the first value of its first row. */
export function ask(url: string, sql: string, values: readonly unknown[] = []): Promise<unknown> {
  return withConnection({ connect: () => connectTo(url) }, async (connection) => {
    const { rows } = await connection.run(sql, values, statementMs);
    return rows[0]?.[0];
  });
}

/** User and system time of a process, of its children, and of those that have ended. */
function readTreeCpu(root: number): number {
  let sum = 0;
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const fields = readStat(entry);
    const [parent, ...times] = [fields[1], fields[11], fields[12], fields[13], fields[14]].map(Number);
    if (Number(entry) === root) sum += times.reduce((total, time) => total + time, 0);
    else if (parent === root) sum += (times[0] ?? 0) + (times[1] ?? 0);
  }
  return sum / ticks;
}

/** The fields after the name of the program. */
function readStat(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
