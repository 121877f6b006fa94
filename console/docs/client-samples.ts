/** Samples of the TypeScript client, one for each operation that it has a method for. */

/** The lines after the client is opened. */
const calls: Readonly<Record<string, string>> = {
  createPlant: "await client.create({ id: 7n, name: 'Monstera', tag: 'climber' });",
  listPlants: "for await (const { id, name } of client.list({ tag: 'climber' })) console.log(id, name);",
  getPlant: 'const found = await client.get(7n);\nconsole.log(found?.plant.name);',
  putPlant: "await client.put(7n, { name: 'Monstera deliciosa', tag: 'climber' });",
  patchPlant:
    "const found = await client.get(7n);\nif (found !== undefined)\n  await client.patch(7n, { tag: 'houseplant' }, { ifMatch: found.etag });",
  deletePlant: 'const wasStored = await client.delete(7n);',
  exportPlants: "for await (const { id, name } of client.export({ tag: 'climber' })) console.log(id, name);",
  importPlants:
    "const report = await client.import('id,name,tag\\n7,Monstera,climber\\n', { mediaType: 'text/csv' });\nconsole.log(report.created, report.refused);",
  listChanges: "for await (const { kind, id } of client.changes({ after: 'now' })) console.log(kind, id);",
  getHistory: 'for await (const { at, kind } of client.history(7n)) console.log(at, kind);',
  createWebhook:
    "const { id, secret } = await client.webhooks.create({\n  url: 'https://shop.example/hooks/plants',\n  events: ['plant.created'],\n});",
  listWebhooks: 'for (const { id, url, enabled } of await client.webhooks.list()) console.log(id, url, enabled);',
  getWebhook: "const webhook = await client.webhooks.get('9f86d081884c7d65');",
  patchWebhook: "await client.webhooks.update('9f86d081884c7d65', { enabled: true });",
  deleteWebhook: "const existed = await client.webhooks.delete('9f86d081884c7d65');",
  rotateWebhookSecret: "const { secret } = await client.webhooks.rotateSecret('9f86d081884c7d65');",
  testWebhook: "const { delivered, error } = await client.webhooks.test('9f86d081884c7d65');",
  listDeliveries:
    "for (const { id, status } of await client.webhooks.deliveries('9f86d081884c7d65')) console.log(id, status);",
  retryDelivery:
    "const { status } = await client.webhooks.retryDelivery('9f86d081884c7d65', 'msg_2KWPBgLlAfxdpx2AI54pPJ');",
  createToken:
    "const { token } = await client.tokens.create({ name: 'till', scopes: ['plants:read'], expiresIn: 7_776_000 });",
  listTokens: 'for (const { id, name, state } of await client.tokens.list()) console.log(id, name, state);',
  getOwnToken: 'const { name, scopes, expiresAt } = await client.tokens.self();',
  revokeToken: "const existed = await client.tokens.revoke('Xb3kT9qLmP2v');",
  listTags: 'for await (const { tag, plants } of client.tags()) console.log(tag, plants);',
};

/** Undefined when the client has no method for the operation. */
export function toClientSample(operationId: string, serverUrl: string): string | undefined {
  const call = calls[operationId];
  if (call === undefined) return undefined;
  return `import { PlantClient } from 'plant-store/client';

const client = new PlantClient({
  url: '${serverUrl}',
  token: process.env.PLANT_STORE_TOKEN ?? '',
});

${call}
`;
}
