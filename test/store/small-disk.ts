/** A disk of a few megabytes in memory, for tests that fill it or make it read-only. What is stored on it is not known here. */
import { execFile } from 'node:child_process';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';

export interface SmallDisk {
  /** Changes the options of the mount, `ro` or `rw`. */
  remount(option: 'ro' | 'rw'): Promise<void>;
}

const run = promisify(execFile);

/**
 * Mounts a disk of this size on the folder until the test ends. Where mounting is not allowed the test is skipped, loudly, and this
 * resolves to undefined: the caller must return.
 */
export async function mountSmallDisk(t: TestContext, folder: string, size: string): Promise<SmallDisk | undefined> {
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
  } catch (error) {
    const reason = `!!! DID NOT RUN: "${t.name}" needs to mount a small disk: ${String(error).split('\n')[0] ?? ''} !!!`;
    process.stderr.write(`${reason}\n`);
    t.skip(reason);
    return undefined;
  }
  t.after(() => run('umount', ['-l', folder]));
  return {
    remount: async (option) => {
      await run('mount', ['-o', `remount,${option}`, folder]);
    },
  };
}
