/** Files of commands reach the disk where a FileHandle has no sync(), as in the file system of Yarn's Plug'n'Play. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { openWholeFile } from '../../src/cli/output/atomic-file.ts';
import { writeSecret } from '../../src/cli/serve/write-secret.ts';
import { makeFolder } from '../support/clean-up.ts';

it('a secret and a complete file are flushed without FileHandle.sync()', async (t) => {
  const folder = await makeFolder(t);
  const handle = await open(folder);
  const sync = t.mock.method(Object.getPrototypeOf(handle) as typeof handle, 'sync', () => {
    throw new Error('Method not implemented.');
  });
  await handle.close();
  await writeSecret(join(folder, 'secret'), 'a');
  const file = await openWholeFile('plants.csv', folder);
  await file.write(Buffer.from('b'));
  await file.finish();
  assert.deepEqual(
    ['secret', 'plants.csv'].map((name) => readFileSync(join(folder, name), 'utf8')),
    ['a', 'b'],
  );
  assert.equal(sync.mock.callCount(), 0);
});
