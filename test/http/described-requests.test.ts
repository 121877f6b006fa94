/** What tools send: the path, the required values, and every value that the description exemplifies. */
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { membersOf, resolve } from '../../src/contract/description.ts';
import { toJson } from '../../src/json/to-json.ts';
import { contract } from '../support/read-contract.ts';
import { postPlant, request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after });
const { document } = contract;

for (const { operationId, method, path, definition } of contract.operations.values()) {
  // No webhook and no token has the id of the example.
  if (/^\/(?:webhooks|tokens)\//.test(path)) continue;
  it(`the request that a tool makes of ${operationId} succeeds`, async () => {
    await request(service, { method: 'DELETE', path: '/plants/7' });
    if (operationId !== 'createPlant') await postPlant(service, { id: 7n, name: 'Monstera', tag: 'climber' });
    const query = new URLSearchParams();
    const headers: Record<string, string> = {};
    let target = path;
    for (const each of (definition['parameters'] ?? []) as never[]) {
      const parameter = resolve(document, each);
      const [firstOfSchema] = (resolve(document, parameter['schema'])['examples'] ?? []) as unknown[];
      const example = parameter['example'] ?? firstOfSchema;
      if (example === undefined) continue;
      const name = parameter['name'] as string;
      // The items of a list are sent as several parameters; the list of the example has one item.
      const value = toJson(Array.isArray(example) ? example[0] : example).replace(/^"(.*)"$/, '$1');
      if (parameter['in'] === 'path') target = target.replace(`{${name}}`, value);
      else if (parameter['in'] === 'query') query.set(name, value);
      else headers[name] = value;
    }
    const body = resolve(document, definition['requestBody']);
    const [mediaType, media] = Object.entries(membersOf(body['content']))[0] ?? [];
    const [example] = Object.values(membersOf(membersOf(media)['examples']));
    const content = membersOf(example)['value'];
    if (mediaType !== undefined) headers['content-type'] = mediaType;
    const reply = await request(service, {
      method,
      path: query.size === 0 ? target : `${target}?${query.toString()}`,
      headers,
      ...(content === undefined ? {} : { body: typeof content === 'string' ? content : toJson(content) }),
    });
    assert.ok(reply.status < 400, `${reply.status} ${reply.text}`);
  });
}
