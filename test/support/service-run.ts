/**
 * One run of the service in a test, wherever it executes: its data folder, its environment and output, and the checks at its end. Asserts that
 * no token leaked.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cleanup, cleanUp } from './clean-up.ts';
import { findLeaks } from './find-leaks.ts';
import { dumpStore, provideDatabase, removeStore } from './store-under-test.ts';
import { Transcript } from './transcript.ts';

/** The first token of every service in a test file: anywhere but in a request, it is a leak. */
export const canaryToken = `canary-${randomBytes(24).toString('base64url')}`;

export interface ServiceOptions {
  /** Added to a minimal environment; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Flags of `serve`. */
  readonly flags?: readonly string[];
  /** A folder to keep; by default a fresh one, removed at the end. */
  readonly dataDir?: string;
  /** `made`: no token is given, the service creates one in its folder. */
  readonly firstToken?: 'made';
  /** Default: the store that the tests run on. */
  readonly store?: 'folder' | 'memory' | undefined;
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
  /** The URL that the service logs: with base path, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  readonly basePath: string;
  /** Has every scope. */
  readonly token: string;
  readonly dataDir: string;
  /** So far. */
  readonly logLines: readonly LogLine[];
  /** stdout and stderr so far. */
  readonly output: () => string;
  /** Adds a text that must not leak from now on. */
  readonly addSecret: (secret: string) => void;
  /** Resolves to the first matching line, past or future; rejects if the service ends without it. */
  readonly findLog: (predicate: (line: LogLine) => boolean) => Promise<LogLine>;
  /** Sends SIGTERM; rejects unless the exit code is 0 and nothing leaked. */
  readonly stop: () => Promise<Exit>;
}

/** `serve` while it executes. */
export interface Execution {
  readonly exited: Promise<Exit>;
  readonly signal: (signal: NodeJS.Signals) => void;
}

/** Starts `serve` with flags and environment, and hands over each line of its output. */
export type Execute = (
  flags: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  takeLine: (line: string) => void,
) => Execution;

const readyWithinMs = 120_000;
const stopWithinMs = 120_000;
const lineWithinMs = 120_000;

export interface ServiceRun {
  readonly service: Service;
  readonly execution: Execution;
  /** The test ends it: from now on any exit code is accepted. */
  readonly expectEnd: () => void;
}

/** Resolves once the service logs that it is ready. Stops, checks and removes it when `scope` ends. */
export async function runService(scope: Cleanup, options: ServiceOptions, execute: Execute): Promise<ServiceRun> {
  const { flags = [], firstToken } = options;
  const folder = options.dataDir === undefined ? await mkdtemp(join(tmpdir(), 'plant-store-')) : undefined;
  const dataDir = options.dataDir ?? join(folder ?? '', 'data');
  const env = { ...toEnv(dataDir, firstToken), ...(await toStoreEnv(dataDir, options.store)), ...options.env };
  const output = new Output();
  const execution = execute(flags, env, (line) => output.take(line));
  const secrets = new Set([canaryToken]);
  let isEndExpected = false;
  let isEnded = false;
  const expectEnd = (): void => void (isEndExpected = true);
  void execution.exited.then((exit) => {
    isEnded = true;
    output.end(String(exit.code ?? exit.signal));
  });
  const stop = async (): Promise<Exit> => {
    if (!isEnded) execution.signal('SIGTERM');
    const exit = await within(stopWithinMs, 'at its end', execution.exited).catch((error: unknown) => {
      execution.signal('SIGKILL');
      throw error;
    });
    const leaks = await findLeaks(secrets, output.text + (await dumpStore(dataDir)), dataDir);
    if (leaks.length > 0) throw new Error(`A token leaked: ${leaks.join(', ')}`);
    if (exit.code !== 0 && !isEndExpected)
      throw new Error(
        `The service ended with ${exit.code ?? exit.signal ?? ''}:\n${output.text.split('\n').slice(-20).join('\n')}`,
      );
    return exit;
  };
  cleanUp(scope, async () => {
    try {
      await stop();
    } finally {
      if (folder !== undefined) {
        await rm(folder, { recursive: true });
        await removeStore(dataDir);
      }
    }
  });
  const ready = await within(
    readyWithinMs,
    'ready',
    output.findLine(({ msg }) => msg === 'Ready'),
  ).catch((error: unknown) => {
    expectEnd();
    throw error;
  });
  const url = new URL(String(ready['url']));
  const token = firstToken === 'made' ? (await readFile(join(dataDir, 'initial-token'), 'utf8')).trim() : canaryToken;
  secrets.add(token);
  // On a busy machine it may reach its database, and store its first token there, only once it serves.
  if (env['DATABASE_URL'] !== undefined && options.env?.['DATABASE_URL'] === undefined)
    await within(readyWithinMs, 'taking its token', untilTaken(url, token));
  return {
    service: {
      url: url.href.replace(/\/$/, ''),
      port: Number(url.port),
      basePath: url.pathname.replace(/\/$/, ''),
      token,
      dataDir,
      logLines: output.logLines,
      output: () => output.text,
      addSecret: (secret) => void secrets.add(secret),
      findLog: (predicate) => within(lineWithinMs, 'writing the line', output.findLine(predicate)),
      stop,
    },
    execution,
    expectEnd,
  };
}

async function untilTaken(url: URL, token: string): Promise<void> {
  const own = `${url.href.replace(/\/$/, '')}/tokens/self`;
  const headers = { authorization: `Bearer ${token}` };
  while ((await fetch(own, { headers })).status !== 200) await sleep(50);
}

function toEnv(dataDir: string, firstToken: 'made' | undefined): Record<string, string | undefined> {
  return {
    PORT: '0',
    // Logs everything, so that a leak shows.
    LOG_LEVEL: 'trace',
    LOG_FORMAT: 'json',
    PLANT_STORE_DATA_DIR: dataDir,
    PLANT_STORE_INITIAL_TOKEN: firstToken === 'made' ? undefined : canaryToken,
  };
}

/** A store without a folder needs a key for webhooks. */
async function toStoreEnv(dataDir: string, store: ServiceOptions['store']): Promise<Record<string, string>> {
  const database = store === undefined ? await provideDatabase(dataDir) : undefined;
  if (database === undefined && store !== 'memory') return {};
  const keyFile = `${dataDir}.webhook-key`;
  await writeFile(keyFile, Buffer.alloc(32, 1).toString('base64'));
  return {
    PLANT_STORE_WEBHOOK_KEY_FILE: keyFile,
    ...(database === undefined ? {} : { DATABASE_URL: database.url }),
  };
}

/** What the service has written, by lines. */
class Output extends Transcript {
  readonly logLines: LogLine[] = [];

  take(text: string): void {
    const line = toLogLine(text);
    if (line !== undefined) this.logLines.push(line);
    this.add(`${text}\n`);
  }

  findLine(predicate: (line: LogLine) => boolean): Promise<LogLine> {
    let seen = 0;
    return this.find(() => {
      const line = this.logLines.slice(seen).find(predicate);
      seen = this.logLines.length;
      return line;
    });
  }
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
