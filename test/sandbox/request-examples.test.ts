/** In a new space, every request example of the description succeeds, and what a visitor sees first is a plant. */
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { startSandbox } from '../../src/cli/serve/start-sandbox.ts';
import { membersOf, resolve } from '../../src/contract/description.ts';
import type { JsonObject } from '../../src/json/parse-json.ts';
import { toJson } from '../../src/json/to-json.ts';
import { seedPlants } from '../../src/sandbox/seed-plants.ts';
import { contract } from '../support/read-contract.ts';

const sandbox = await startSandbox();
after(() => sandbox.close());
const { document } = contract;

/** Examples that only what another request did can make succeed. */
const dependent = new Set(['batchPlants restore', 'batchPlants undo']);

for (const { operationId, method, path, scope, definition } of contract.operations.values()) {
  // A sandbox refuses the others.
  if (scope !== 'plants:write') continue;
  const target = path.replace('{id}', '7');
  for (const [mediaType, media] of Object.entries(membersOf(resolve(document, definition['requestBody'])['content'])))
    for (const [name, example] of Object.entries(membersOf(membersOf(media)['examples']))) {
      if (dependent.has(`${operationId} ${name}`)) continue;
      it(`the example ${name} of ${operationId}, as ${mediaType}, succeeds`, async () => {
        const { value = null } = resolve(document, example);
        const reply = await fetch(sandbox.url + target, {
          method,
          headers: { authorization: `Bearer ${sandbox.token(`${operationId}-${name}`)}`, 'content-type': mediaType },
          body: typeof value === 'string' ? value : toJson(value),
        });
        const text = await reply.text();
        assert.equal(reply.status, 200, text);
        const { refused = 0 } = JSON.parse(text) as JsonObject;
        assert.equal(refused, 0, text);
      });
    }
}

it('the first plant by name is none of those that are made for tests of clients', () => {
  const { compare } = new Intl.Collator('en', { numeric: true });
  const [first = ''] = seedPlants.map(({ name }) => name).sort(compare);
  assert.match(first, /^\p{L}/u);
});

it('what clients get wrong is there: formulas, quotes, separators, line breaks, an empty tag, other scripts', () => {
  const texts = seedPlants.flatMap(({ name, tag = 'none' }) => [name, tag]);
  for (const pattern of [
    /^=/,
    /;=/,
    /"/,
    /'/,
    /,/,
    /\n/,
    /^$/,
    /\p{Emoji_Presentation}/u,
    /\p{sc=Arab}/u,
    /\p{sc=Han}/u,
    /</,
  ])
    assert.ok(
      texts.some((text) => pattern.test(text)),
      String(pattern),
    );
});
