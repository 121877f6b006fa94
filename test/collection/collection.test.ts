/** The requests and checks of the collection for API clients, against a sandbox. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { renderCollection } from '../../scripts/render-collection.ts';
import { startService } from '../support/start-service.ts';
import { type Collection, runCollection } from './run-collection.ts';

const readRoot = (path: string): Promise<string> => readFile(join(import.meta.dirname, '../..', path), 'utf8');

describe('the collection for API clients', () => {
  it('passes all checks of its 20 requests, twice, in one space of a sandbox for each run', async (t) => {
    const { url: baseUrl } = await startService(t, { store: 'folder', flags: ['--sandbox'] });
    const text = await readRoot('docs/reference/plant-store.postman_collection.json');
    const collection = JSON.parse(text) as Collection;
    const tokens = new Set<string>();
    for (let round = 0; round < 2; round++) {
      const ran = await runCollection(collection, { baseUrl });
      assert.equal(ran.length, 20);
      for (const { name, token, passed, failed } of ran) {
        assert.deepEqual([passed.length, failed], [name === 'Delete the plant' ? 1 : 2, []], name);
        if (token !== undefined) tokens.add(token);
      }
    }
    assert.equal(tokens.size, 2);
    for (const token of tokens) assert.match(token, /^sandbox-[0-9a-f-]{36}$/);
  });

  it('can be run again with its token, and with an address that ends with a slash', async (t) => {
    const { url: baseUrl } = await startService(t, { store: 'folder', flags: ['--sandbox'] });
    const collection = JSON.parse(renderCollection(await readRoot('openapi.yaml'))) as Collection;
    for (let round = 0; round < 2; round++) {
      const ran = await runCollection(collection, { baseUrl: `${baseUrl}/`, token: 'sandbox-12345678' });
      assert.deepEqual(
        ran.flatMap(({ failed }) => failed),
        [],
      );
    }
  });

  it('is not rendered with a request that the description does not have', () => {
    const description = 'paths: { /: { get: { operationId: getRoot, responses: { "201": {} } } } }';
    assert.throws(
      () => renderCollection(description),
      /Cannot render "Service info": the description has no 200 of getRoot/,
    );
  });
});
