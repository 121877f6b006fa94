/**
 * Runs the service as a process on a free port with a fresh data folder, and asserts at its end
 * that no token leaked. request.ts sends the requests.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { findLeaks } from './find-leaks.ts';
import { dumpDatabase, provideDatabase, removeDatabase } from './store-under-test.ts';

/** The first token of every service in a test file: anywhere but in a request, it is a leak. */
export const canaryToken = `canary-${randomBytes(24).toString('base64url')}`;

const mainPath = join(import.meta.dirname, '..', '..', 'src', 'main.ts');

export interface ServiceOptions {
  /** Added to a minimal environment; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Flags of `serve`. */
  readonly flags?: readonly string[];
  /** A folder to keep; by default a fresh one, removed at the end. */
  readonly dataDir?: string;
  /** Flags of Node itself, such as `--import`. */
  readonly nodeArgs?: readonly string[];
  /** Limit on open files. */
  readonly filesMax?: number;
  /** `made`: no token is given, the service creates one. */
  readonly firstToken?: 'made';
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A line of the log. */
export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [member: string]: unknown;
}

export interface Service {
  /** As the service logs it: with base path, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  readonly basePath: string;
  /** Has every scope. */
  readonly token: string;
  readonly dataDir: string;
  readonly pid: number;
  /** So far. */
  readonly logLines: readonly LogLine[];
  /** stdout and stderr so far. */
  readonly output: () => string;
  /** Resolves once the process has ended and all its output is read. */
  readonly exited: Promise<Exit>;
  /** Adds a text that must not leak from now on. */
  readonly addSecret: (secret: string) => void;
  /**
   * Resolves to the first matching line, past or future; rejects if the service ends without it.
   */
  readonly findLog: (predicate: (line: LogLine) => boolean) => Promise<LogLine>;
  /** Sends a signal; the test checks the exit. */
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Sends SIGKILL; resolves once the process is gone. */
  readonly kill: () => Promise<Exit>;
  /** Sends SIGTERM; rejects unless the exit code is 0 and nothing leaked. */
  readonly stop: () => Promise<Exit>;
}

/** A test, or `{ after }` of node:test for the entire file. */
export interface Cleanup {
  after(callback: () => Promise<void>): void;
}

const readyWithinMs = 20_000;
const stopWithinMs = 40_000;

/**
 * Resolves once the service logs that it is ready. Stops, checks and removes it when `scope` ends.
 */
export async function startService(scope: Cleanup, options: ServiceOptions = {}): Promise<Service> {
  const folder = options.dataDir === undefined ? await mkdtemp(join(tmpdir(), 'plant-store-')) : undefined;
  const dataDir = options.dataDir ?? join(folder ?? '', 'data');
  const database = await provideDatabase(dataDir);
  const running = run(
    dataDir,
    database === undefined
      ? options
      : { ...options, env: { ...(await toDatabaseEnv(database.url, dataDir)), ...options.env } },
  );
  scope.after(async () => {
    try {
      await end(running);
    } finally {
      if (folder !== undefined) {
        await rm(folder, { recursive: true });
        await removeDatabase(dataDir);
      }
    }
  });
  const ready = await within(
    readyWithinMs,
    'ready',
    running.findLog(({ msg }) => msg === 'Ready'),
  ).catch((error: unknown) => {
    running.isEndExpected = true;
    throw error;
  });
  const url = new URL(String(ready['url']));
  const token =
    options.firstToken === 'made' ? (await readFile(join(dataDir, 'initial-token'), 'utf8')).trim() : canaryToken;
  running.secrets.add(token);
  return {
    url: url.href.replace(/\/$/, ''),
    port: Number(url.port),
    basePath: url.pathname.replace(/\/$/, ''),
    token,
    dataDir,
    pid: running.child.pid ?? 0,
    logLines: running.logLines,
    output: () => running.output.join(''),
    exited: running.exited,
    addSecret: (secret) => void running.secrets.add(secret),
    findLog: running.findLog,
    signal: (signal) => {
      running.isEndExpected = true;
      running.child.kill(signal);
    },
    kill: async () => {
      running.isEndExpected = true;
      running.child.kill('SIGKILL');
      return running.exited;
    },
    stop: () => end(running),
  };
}

/** A service on a database needs a key for webhooks. */
async function toDatabaseEnv(url: string, dataDir: string): Promise<Record<string, string>> {
  const keyFile = `${dataDir}.webhook-key`;
  await writeFile(keyFile, Buffer.alloc(32, 1).toString('base64'));
  return { DATABASE_URL: url, PLANT_STORE_WEBHOOK_KEY_FILE: keyFile };
}

interface Running {
  readonly child: ReturnType<typeof spawn>;
  readonly dataDir: string;
  readonly output: string[];
  readonly logLines: LogLine[];
  readonly exited: Promise<Exit>;
  readonly secrets: Set<string>;
  readonly findLog: Service['findLog'];
  /** The test ended it: any exit code is accepted. */
  isEndExpected: boolean;
}

/** Running child processes: they must not outlive this one. */
const children = new Set<ReturnType<typeof spawn>>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

function run(dataDir: string, { env, flags = [], nodeArgs = [], firstToken, filesMax }: ServiceOptions): Running {
  const command = [process.execPath, ...nodeArgs, mainPath, 'serve', ...flags];
  const [file = '', ...args] =
    filesMax === undefined ? command : ['sh', '-c', `ulimit -n ${filesMax}; exec "$@"`, 'sh', ...command];
  const child = spawn(file, args, {
    env: {
      PORT: '0',
      // Logs everything, so that a leak shows.
      LOG_LEVEL: 'trace',
      LOG_FORMAT: 'json',
      PLANT_STORE_DATA_DIR: dataDir,
      PLANT_STORE_INITIAL_TOKEN: firstToken === 'made' ? undefined : canaryToken,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  const output: string[] = [];
  const logLines: LogLine[] = [];
  const seekers = new Set<(line: LogLine) => void>();
  for (const stream of [child.stdout, child.stderr]) {
    readLines(stream, (text) => {
      output.push(`${text}\n`);
      const line = toLogLine(text);
      if (line === undefined) return;
      logLines.push(line);
      for (const seek of seekers) seek(line);
    });
  }
  const exited = once(child, 'close').then(([code, signal]): Exit => {
    children.delete(child);
    return { code: code as number | null, signal: signal as NodeJS.Signals | null };
  });
  const findLog: Service['findLog'] = (predicate) =>
    new Promise((resolve, reject) => {
      const seek = (line: LogLine): void => {
        if (!predicate(line)) return;
        seekers.delete(seek);
        resolve(line);
      };
      seekers.add(seek);
      logLines.forEach(seek);
      void exited.then(({ code, signal }) =>
        reject(new Error(`The service ended (${code ?? signal ?? ''}) without the line:\n${output.join('')}`)),
      );
    });
  return { child, dataDir, output, logLines, exited, secrets: new Set([canaryToken]), findLog, isEndExpected: false };
}

/** Stops the process if it still runs; checks its exit and that nothing leaked. */
async function end({ child, dataDir, output, exited, secrets, isEndExpected }: Running): Promise<Exit> {
  const isRunning = child.exitCode === null && child.signalCode === null;
  if (isRunning) child.kill('SIGTERM');
  const exit = await within(stopWithinMs, 'at its end', exited).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  const leaks = await findLeaks(secrets, output.join('') + (await dumpDatabase(dataDir)), dataDir);
  if (leaks.length > 0) throw new Error(`A token leaked: ${leaks.join(', ')}`);
  if (exit.code !== 0 && !isEndExpected) {
    throw new Error(`The service ended with ${exit.code ?? exit.signal ?? ''}:\n${output.slice(-20).join('')}`);
  }
  return exit;
}

function readLines(stream: Readable | null, take: (line: string) => void): void {
  if (stream !== null) createInterface({ input: stream }).on('line', take);
}

function toLogLine(text: string): LogLine | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return undefined;
  }
}

async function within<T>(limitMs: number, state: string, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`The service is not ${state} after ${limitMs} ms`)), limitMs);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
