/** A terminal for the output of a child process, made by script(1) of util-linux. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import { cleanUp } from './clean-up.ts';
import { skipLoudly } from './skip-loudly.ts';

export interface Terminal {
  /** For `stdio` of a child. */
  readonly fd: number;
  /** What is written to the terminal. While this is paused, the terminal fills up. */
  readonly output: Readable;
}

/** Resolves to undefined, and skips the test, where there is no such tool: the caller must return. */
export async function openTerminal(context: TestContext): Promise<Terminal | undefined> {
  const holder = spawn('script', ['--quiet', '--command', 'tty && exec cat', '/dev/null']);
  const path = await readPath(holder).catch((error: unknown) => {
    skipLoudly(context, `it needs script(1) of util-linux: ${String(error)}`);
  });
  if (path === undefined) return undefined;
  const file = await open(path, constants.O_WRONLY | constants.O_NOCTTY);
  cleanUp(context, async () => {
    // The program may wait for its own reader; only SIGKILL ends it then.
    holder.kill('SIGKILL');
    holder.stdout.destroy();
    await once(holder, 'close');
    await file.close();
  });
  return { fd: file.fd, output: holder.stdout };
}

/** @throws Error if the tool is missing, or another one of this name. */
async function readPath(holder: ChildProcessWithoutNullStreams): Promise<string> {
  const [bytes] = (await Promise.race([
    once(holder.stdout, 'data'),
    once(holder, 'close').then(() => Promise.reject(new Error('it ended'))),
  ])) as [Buffer];
  const path = String(bytes).trim();
  if (!path.startsWith('/dev/')) throw new Error(`it wrote ${path}`);
  return path;
}
