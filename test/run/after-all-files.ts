/** Cleanup of what several test files of a process share. */
import { after } from 'node:test';

type Callback = () => Promise<void>;

let callbacks: Callback[] | undefined;

/** Call before the first file: hooks of the test runner belong to a file, those of this process come later. */
export function collectCleanups(): void {
  callbacks = [];
}

/** Runs the callback after the last file of this process. */
export function afterAllFiles(callback: Callback): void {
  if (callbacks === undefined) after(callback);
  else callbacks.push(callback);
}

/** Call after the last file. */
export async function cleanUpAll(): Promise<void> {
  for (const callback of callbacks ?? []) await callback();
}
