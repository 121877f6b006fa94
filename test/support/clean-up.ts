/** What a test has to undo, the latest first: hooks of node:test run in the order of registration, and would remove a folder that is in use. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A test, or `{ after }` of node:test for the entire file. */
export interface Cleanup {
  readonly after: (callback: () => Promise<void>) => void;
}

const stacks = new WeakMap<object, AsyncDisposableStack>();

/** Runs the callback when `scope` ends, before those that were given earlier, and although one of them fails. */
export function cleanUp(scope: Cleanup, callback: () => Promise<void>): void {
  // Each `{ after }` is the same file. If a hook of a file fails, Node runs none of those after it.
  const key = Object.hasOwn(scope, 'after') ? scope.after : scope;
  let stack = stacks.get(key);
  if (stack === undefined) {
    const created = (stack = new AsyncDisposableStack());
    stacks.set(key, created);
    scope.after(() => created.disposeAsync());
  }
  stack.defer(callback);
}

/** A folder that is removed when `scope` ends, after all that uses it has ended. */
export async function makeFolder(scope: Cleanup): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-'));
  cleanUp(scope, () => rm(folder, { recursive: true }));
  return folder;
}
