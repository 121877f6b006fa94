/** The database servers of a run of the tests, shared by its files. A file that runs alone has servers of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import type { Major } from './server.ts';

/** The variable that tells a test file the address of the keeper. */
const keeperVariable = 'TEST_POSTGRES_KEEPER';

export interface Keeper {
  /** Resolves when its servers are gone. */
  end(): Promise<void>;
}

/** Starts the keeper for this process and those that it starts. */
export async function startKeeper(): Promise<Keeper> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'keeper.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // The server ends with this process, as in a test.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  });
  const closed = once(child, 'close');
  const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  process.env[keeperVariable] = port;
  // An open keeper must not keep a finished test file from ending.
  child.unref();
  for (const stream of [child.stdin, child.stdout]) if ('unref' in stream) (stream as { unref(): void }).unref();
  return {
    end: async () => {
      child.ref();
      child.stdin.end();
      await closed;
    },
  };
}

let own: Promise<Keeper> | undefined;

/** The URL of the server that the test files share, without a database. */
export function findServer(major: Major): Promise<string> {
  return ask('GET', major);
}

/** Starts a server that nobody else uses, for as long as the tests run. Resolves to its URL, without a database. */
export function startOwnServer(major: Major): Promise<string> {
  return ask('POST', major);
}

async function ask(method: string, major: Major): Promise<string> {
  if (process.env[keeperVariable] === undefined) await (own ??= startKeeper());
  const response = await fetch(`http://127.0.0.1:${process.env[keeperVariable] ?? ''}/${major}`, { method });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
