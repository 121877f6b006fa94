/** The address that the dialog sends to. Without a browser. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { listOperations, type Members } from '../../console/docs/operation.ts';
import { toTarget } from '../../console/docs/send-request.ts';

const description = await readFile(join(import.meta.dirname, '..', '..', 'openapi.json'), 'utf8');

it('sends each value of a list as a parameter of its own, and leaves out what is empty', () => {
  const { parameters = [] } =
    listOperations(JSON.parse(description) as Members).find(({ id }) => id === 'listChanges') ?? {};
  const target = toTarget('/plants/changes', parameters, { id: ' 7, -8 9', tag: 'a, b', kind: '' });
  assert.equal(target, '/plants/changes?id=7&id=-8&id=9&tag=a%2C%20b');
});
