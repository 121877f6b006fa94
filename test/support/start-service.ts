/**
 * Runs the real service as a process of its own, on a free port, in a fresh data folder, and proves at its end that no
 * token leaked. How requests are sent is not known here (request.ts).
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { findLeaks } from './find-leaks.ts';
import { dumpDatabase, provideDatabase, removeDatabase } from './store-under-test.ts';

/** The first token of every service that a test file starts: found anywhere but in a request, it is a leak. */
export const canaryToken = `canary-${randomBytes(24).toString('base64url')}`;

const mainPath = join(import.meta.dirname, '..', '..', 'src', 'main.ts');

export interface ServiceOptions {
  /** Added to the environment, which else holds only what the harness needs; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Flags of `serve`. */
  readonly flags?: readonly string[];
  /** A folder that is kept afterwards; absent: a fresh one, removed at the end. */
  readonly dataDir?: string;
  /** Of Node itself, such as `--import`. */
  readonly nodeArgs?: readonly string[];
  /** Limit on open files. */
  readonly filesMax?: number;
  /** `made`: no token is given, the service makes one. */
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
  /** As the service logs it: with base path, without a slash at the end. */
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
  /** Resolves when the process has ended and all its output is read. */
  readonly exited: Promise<Exit>;
  /** From now on this text too must be found nowhere. */
  readonly addSecret: (secret: string) => void;
  /** Resolves to the first line, past or to come, that the predicate likes; rejects when the service ends without it. */
  readonly findLog: (predicate: (line: LogLine) => boolean) => Promise<LogLine>;
  /** Sends a signal, and leaves it to the test what the end must look like. */
  readonly signal: (signal: NodeJS.Signals) => void;
  /** SIGKILL; resolves when the process is gone. */
  readonly kill: () => Promise<Exit>;
  /** SIGTERM; rejects unless the exit code is 0 and nothing leaked. */
  readonly stop: () => Promise<Exit>;
}

/** A test, or `{ after }` of node:test for the whole file. */
export interface Cleanup {
  after(callback: () => Promise<void>): void;
}

const readyWithinMs = 20_000;
const stopWithinMs = 40_000;

/** Resolves once the service logs that it is ready. It is stopped, checked and removed when `scope` ends. */
export async function startService(scope: Cleanup, options: ServiceOptions = {}): Promise<Service> {
  const folder = options.dataDir === undefined ? await mkdtemp(join(tmpdir(), 'plant-store-')) : undefined;
  const dataDir = options.dataDir ?? join(folder ?? '', 'data');
  const database = await provideDatabase(dataDir);
  const running = run(
    dataDir,
    database === undefined ? options : { ...options, env: { DATABASE_URL: database.url, ...options.env } },
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

interface Running {
  readonly child: ReturnType<typeof spawn>;
  readonly dataDir: string;
  readonly output: string[];
  readonly logLines: LogLine[];
  readonly exited: Promise<Exit>;
  readonly secrets: Set<string>;
  readonly findLog: Service['findLog'];
  /** The test ended it itself: any exit code will do. */
  isEndExpected: boolean;
}

/** Children of this process that still run: they must not outlive it, however it ends. */
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
      // Everything that can be logged is, so that a leak is seen.
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

/** Stops the process unless it has ended, and checks how it ended and that nothing leaked. */
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
