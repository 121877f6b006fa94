/** Cleanup of what several test files share. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { after } from 'node:test';

const outsideFiles = AsyncLocalStorage.snapshot();

/** Runs the callback after the last file of this process; `after` would run it after the current file. */
export function afterAllFiles(callback: () => Promise<void>): void {
  outsideFiles(() => after(callback));
}
