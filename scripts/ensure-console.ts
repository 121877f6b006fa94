/** Builds the console unless it is up to date, which takes milliseconds to check. Runs before the service starts. */
import { existsSync, rmSync } from 'node:fs';
import { mkdir, readFile, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isSystemError } from '../src/system/system-error.ts';
import { findSourceHash, stampPath } from './console-sources.ts';

const root = join(import.meta.dirname, '..');
/** Exists during a build, so that two never run at once. */
const lockPath = join(root, 'console', '.building');
/** Age at which a lock counts as stale, in milliseconds: on a busy machine, a build takes more than a minute. */
const lockMsMax = 300_000;
const lookEveryMs = 100;

if (!(await isFresh())) {
  if (existsSync(join(root, 'node_modules', 'vite'))) await buildAlone();
  else
    console.error(
      'The console is not built, as the development dependencies are not installed: "npm ci --include=dev" installs them. The service works without it.',
    );
}

async function isFresh(): Promise<boolean> {
  const built = await readFile(stampPath, 'utf8').catch(() => undefined);
  return built === (await findSourceHash());
}

async function buildAlone(): Promise<void> {
  for (let isTold = false; !(await takeLock()); isTold = true) {
    if (!isTold) console.error(`Waiting for another build of the console. If there is none, delete ${lockPath}`);
    await setTimeout(lookEveryMs);
  }
  // Otherwise the next start would wait until the lock is stale.
  for (const each of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const)
    process.once(each, (signal) => {
      rmSync(lockPath, { recursive: true, force: true });
      process.kill(process.pid, signal);
    });
  try {
    if (await isFresh()) return;
    console.error('Building the console, which takes 10 to 40 seconds…');
    await import('./build-console.ts');
  } finally {
    // Someone may have followed the advice above.
    await rmdir(lockPath).catch(() => undefined);
  }
}

async function takeLock(): Promise<boolean> {
  try {
    await mkdir(lockPath);
    return true;
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error;
    const { mtimeMs } = await stat(lockPath).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > lockMsMax) await rmdir(lockPath).catch(() => undefined);
    return false;
  }
}
