/**
 * Every action of a batch in every place, made from openapi.yaml: a place that forgets one, or an
 * argument of it, fails by its name. CONTRIBUTING.md lists the places.
 */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { PlantClient } from '../../src/client/client.ts';
import { membersOf, resolve } from '../../src/contract/description.ts';
import type { JsonObject, JsonValue } from '../../src/json/parse-json.ts';
import { toJson } from '../../src/json/to-json.ts';
import { tools } from '../../src/mcp/tools.ts';
import { runCli } from '../cli/run-cli.ts';
import { assertError } from '../support/assert-reply.ts';
import { store } from '../support/one-plant.ts';
import { nextId } from '../support/plants.ts';
import { contract } from '../support/read-contract.ts';
import type { Reply } from '../support/reply.ts';
import { request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after });
const client = new PlantClient(service);
const env = { PLANT_STORE_URL: service.url, PLANT_STORE_TOKEN: service.token };
const tool = tools.find(({ description: { name } }) => name === 'batch_plants') ?? assert.fail('There is no tool');

const { document } = contract;
const schemas = membersOf(membersOf(document['components'])['schemas']);
const actions = (membersOf(schemas['Batch'])['oneOf'] as readonly JsonObject[]).flatMap((reference) => {
  const schema = resolve(document, reference);
  const properties = membersOf(schema['properties']);
  const { enum: names } = membersOf(properties['action']) as unknown as { readonly enum: readonly string[] };
  const wanted = (schema['required'] as readonly string[]).filter((member) => member !== 'action');
  return names.map((action) => ({ action, wanted, properties }));
});

const plantFields = membersOf(membersOf(schemas['Plant'])['properties']);

/** A schema without its texts. */
function limitsOf(schema: JsonValue | undefined): object {
  const members = Object.entries(resolve(document, schema));
  return Object.fromEntries(members.filter(([name]) => name !== 'description' && name !== 'examples'));
}

/** The arguments of an action on one plant, which it will change: a deleted one if it gives plants back. */
async function prepare({ action, wanted, properties }: (typeof actions)[number]): Promise<Record<string, unknown>> {
  const id = nextId();
  await store(service, { id, name: 'plant', tag: 'old' });
  const undoes = `before-${id}`;
  if (action === 'restore' || action === 'undo') await client.batch({ action: 'delete', plants: [id], group: undoes });
  const given: Record<string, unknown> = { plants: [id], undoes };
  const toExample = (member: string): unknown =>
    (resolve(document, properties[member])['examples'] as readonly unknown[])[0];
  return Object.fromEntries(wanted.map((member) => [member, given[member] ?? toExample(member)]));
}

function send(body: object): Promise<Reply> {
  return request(service, { path: '/plants/batch', body: toJson(body) });
}

async function countsOf(body: object): Promise<readonly unknown[]> {
  const { status, text } = await send(body);
  assert.equal(status, 200, text);
  const { changed, unchanged, refused } = JSON.parse(text) as Record<string, unknown>;
  return [changed, unchanged, refused];
}

for (const described of actions)
  describe(`the action ${described.action} of a batch`, () => {
    const { action } = described;

    it('changes nothing when it is repeated with its group', async () => {
      const body = { action, ...(await prepare(described)), group: `of-${action}` };
      assert.deepEqual(await countsOf(body), [1, 0, 0]);
      assert.deepEqual(await countsOf(body), [0, 1, 0]);
    });

    it('keeps its group from other actions and arguments, with an error that says what it did', async () => {
      const given: Record<string, unknown> = { action, ...(await prepare(described)) };
      const group = `first-${action}`;
      assert.deepEqual(await countsOf({ ...given, group }), [1, 0, 0]);
      const other = action === 'delete' ? 'clearTag' : 'delete';
      const texts = Object.keys(given).filter((member) => member !== 'action' && typeof given[member] === 'string');
      for (const body of [
        { action: other, plants: [nextId()] },
        ...texts.map((member) => ({ ...given, [member]: 'another' })),
      ]) {
        const reply = await send({ ...body, group });
        assertError(reply, 'group_taken');
        assert.match(
          reply.message ?? '',
          /: send a new one\. It (?!replaced plants)/,
          'the words are not those of an import',
        );
      }
    });

    it('limits each argument like the field of a plant with its name', () => {
      for (const member of described.wanted) {
        const field = plantFields[member];
        if (field !== undefined) assert.deepEqual(limitsOf(described.properties[member]), limitsOf(field), member);
      }
    });

    it('has a command, whose flag for a value is --to', async () => {
      const given = await prepare(described);
      const { plants = [], undoes, ...values } = given;
      const name = action.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      const subjects = 'plants' in given ? (plants as readonly bigint[]) : [undoes];
      const flags = Object.values(values).flatMap((value) => ['--to', String(value)]);
      const group = `command-${action}`;
      const args = ['batch', name, ...subjects.map(String), ...flags, '--group', group];
      // Some ask first, as in a terminal.
      const { code, stderr } = await runCli(args, env, undefined, { columns: 80, stdin: 'y\n' });
      assert.equal(code, 0, stderr);
      // The command did the same: otherwise this would be another use of its group.
      assert.deepEqual(await countsOf({ action, ...given, group }), [0, 1, 0]);
    });

    it('is one of batch_plants, with its arguments', async () => {
      const { plants, ...others } = await prepare(described);
      const ids = plants === undefined ? undefined : (plants as readonly bigint[]).map(String);
      const { changed } = await tool.call({ action, ids, ...others }, client, AbortSignal.timeout(60_000));
      assert.equal(changed, 1n);
    });
  });
