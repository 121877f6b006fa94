/** A disk of a few megabytes in memory, for tests that fill it or make it read-only. */
import { execFile } from 'node:child_process';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { skipLoudly } from '../support/skip-loudly.ts';
import { cleanUp, makeFolder } from '../support/clean-up.ts';

export interface SmallDisk {
  readonly folder: string;
  /** Changes the mount options. */
  remount(option: 'ro' | 'rw'): Promise<void>;
}

const run = promisify(execFile);

/**
 * Mounts a disk of this size until the test ends. Skips the test and resolves to undefined if
 * mounting is not allowed; the caller must return then.
 */
export async function mountSmallDisk(t: TestContext, size: string): Promise<SmallDisk | undefined> {
  const folder = await makeFolder(t);
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
  } catch (error) {
    skipLoudly(t, `it needs to mount a small disk: ${String(error).split('\n')[0] ?? ''}`);
    return undefined;
  }
  cleanUp(t, async () => {
    await run('umount', ['-l', folder]);
  });
  return {
    folder,
    remount: async (option) => {
      await run('mount', ['-o', `remount,${option}`, folder]);
    },
  };
}
