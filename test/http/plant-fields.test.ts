/**
 * Every field of a plant in every place, with values made from openapi.yaml: a place that forgets a
 * field fails by its name. CONTRIBUTING.md lists the places.
 */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { emptyDraft, mergeDraft, toDraft, toPlant, toVersion } from '../../console/src/form/plant-form.ts';
import { isTagging } from '../../console/src/history/group-changes.ts';
import { guessPlan, toHeader, toLeftOut } from '../../console/src/import/csv-plan.ts';
import type { Change } from '../../src/client/client.ts';
import { PlantClient } from '../../src/client/client.ts';
import { type PlantField, plantFields } from '../../src/domain/plant.ts';
import type { Plant } from '../../src/domain/schemas.ts';
import { toJson } from '../../src/json/to-json.ts';
import { tools } from '../../src/mcp/tools.ts';
import { runCli, type World } from '../cli/run-cli.ts';
import { fieldSchemas, onePlant, otherPlant, requiredFields, typesOf } from '../support/field-values.ts';
import { nextId } from '../support/plants.ts';
import type { Reply } from '../support/reply.ts';
import { request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';

type Values = Readonly<Record<string, unknown>>;

const service = await startService({ after });
const client = new PlantClient(service);
const [one, other]: readonly [Values, Values] = [{ ...onePlant }, { ...otherPlant }];

const omit = (values: Values, field: string): Values => ({ ...values, [field]: undefined });
const present = (values: object): object =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

const send = (
  method: string,
  path: string,
  body?: Values,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> => request(service, { method, path, headers, body: body && toJson(body) });

async function put(id: bigint, values: Values): Promise<Reply> {
  const reply = await send('PUT', `/plants/${id}`, values);
  assert.ok(reply.status < 300, reply.text);
  return reply;
}

/** GET, as text: what other programs see. */
async function assertStored(id: bigint, values: Values): Promise<void> {
  assert.equal((await send('GET', `/plants/${id}`)).text, toJson({ id, ...values }));
}

async function run(world: World, ...args: readonly string[]): Promise<string> {
  const env = { PLANT_STORE_URL: service.url, PLANT_STORE_TOKEN: service.token };
  const { code, stdout, stderr } = await runCli(args, env, undefined, world);
  assert.equal(code, 0, stderr);
  return stdout;
}

function toFlags(values: Values): string[] {
  return Object.entries(values).map(([field, value]) => {
    const name = field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return typeof value === 'boolean' ? `--${value ? '' : 'no-'}${name}` : `--${name}=${String(value)}`;
  });
}

/** Stores a plant, then exports and changes it; importing the export must bring it back. */
async function assertExports(field: string, mediaType: string, head?: RegExp): Promise<void> {
  const id = nextId();
  await put(id, one);
  const { text } = await send('GET', '/plants/export', undefined, { accept: mediaType });
  if (head !== undefined) assert.match(text, head);
  await put(id, { ...one, [field]: other[field] });
  const importing = {
    method: 'POST',
    path: '/plants/import?onConflict=replace',
    headers: { 'content-type': mediaType },
  };
  const { text: report } = await request(service, { ...importing, body: text });
  assert.match(report, /"replaced":1,"skipped":0,"refused":0/);
  await assertStored(id, one);
}

/** Each place, with what it must do for one field: `changed` differs from `one` in the field. */
const places: Readonly<Record<string, (field: PlantField, changed: Values) => Promise<void>>> = {
  'JSON of POST, PUT, GET and the list': async (_field, changed) => {
    const id = nextId();
    assert.equal((await send('POST', '/plants', { id, ...one })).text, toJson(one));
    assert.equal((await put(id, changed)).text, toJson({ id, ...changed }));
    await assertStored(id, changed);
    assert.ok((await send('GET', '/plants?limit=1000')).text.includes(toJson({ id, ...changed })));
  },
  'equality: another value is another plant': async (field, changed) => {
    const id = nextId();
    await put(id, one);
    assert.equal((await send('POST', '/plants', { id, ...one })).headers['idempotent-replayed'], 'true');
    for (const values of requiredFields.includes(field) ? [changed] : [changed, omit(one, field)])
      assert.equal((await send('POST', '/plants', { id, ...values })).status, 409);
  },
  'version: another value is another ETag': async (field, changed) => {
    const id = nextId();
    const variants = requiredFields.includes(field) ? [one, changed] : [one, changed, omit(one, field)];
    const etags = new Set<unknown>();
    for (const values of variants) etags.add((await put(id, values)).headers['etag']);
    assert.equal(etags.size, variants.length);
  },
  'PATCH, and null in it': async (field, changed) => {
    const id = nextId();
    await put(id, one);
    const patch = (value: unknown): Promise<Reply> =>
      send('PATCH', `/plants/${id}`, { [field]: value }, { 'content-type': 'application/merge-patch+json' });
    assert.equal((await patch(other[field])).text, toJson({ id, ...changed }));
    await assertStored(id, changed);
    if (!requiredFields.includes(field))
      assert.equal((await patch(null)).text, toJson({ id, ...omit(changed, field) }));
  },
  'absence, also as null where the description allows it': async (field) => {
    if (requiredFields.includes(field)) return;
    const schema = fieldSchemas.find(([name]) => name === field)?.[1] ?? {};
    for (const value of [undefined, ...(typesOf(schema).includes('null') ? [null] : [])]) {
      const id = nextId();
      assert.equal((await send('POST', '/plants', { id, ...one, [field]: value })).text, toJson(omit(one, field)));
      await assertStored(id, omit(one, field));
    }
  },
  'CSV, exported and imported': (field) => assertExports(field, 'text/csv', new RegExp(`^id,.*\\b${field}\\b`)),
  'NDJSON, exported and imported': (field) => assertExports(field, 'application/x-ndjson'),
  'change log and history': async (_field, changed) => {
    const id = nextId();
    await put(id, one);
    await put(id, changed);
    for (const path of [`/plants/${id}/history?limit=1`, `/plants/changes?order=desc&limit=1&id=${id}`]) {
      const { text } = await send('GET', path);
      assert.ok(text.includes(`"plant":${toJson({ id, ...changed })},"before":${toJson({ id, ...one })}`), text);
    }
  },
  client: async (field, changed) => {
    const id = nextId();
    assert.deepEqual((await client.create({ id, ...(one as unknown as Plant) })).plant, one);
    assert.deepEqual((await client.patch(id, { [field]: other[field] })).plant, { id, ...changed });
    assert.deepEqual((await client.put(id, one as unknown as Plant)).plant, { id, ...one });
    for await (const { plant, before } of client.history(id)) {
      assert.deepEqual([plant, before], [
        { id, ...one },
        { id, ...changed },
      ] as unknown[]);
      break;
    }
  },
  'command line: flags of put and patch, tables': async (field, changed) => {
    const id = nextId();
    const { etag, outcome, ...stored } = JSON.parse(await run({}, 'put', `${id}`, ...toFlags(one))) as Values;
    assert.deepEqual([toJson(stored), outcome], [toJson({ id: Number(id), ...one }), 'created'], String(etag));
    await run({}, 'patch', `${id}`, ...toFlags({ [field]: other[field] }));
    await assertStored(id, changed);
    const terminal: World = { columns: 400 };
    for (const table of [await run(terminal, 'get', `${id}`), await run(terminal, 'history', `${id}`)]) {
      assert.ok(table.includes(field.toUpperCase()), table);
      assert.ok(table.includes(String(other[field])), table);
    }
  },
  'tools for language models: create_plant, update_plant': async (field, changed) => {
    const id = String(nextId());
    const call = async (name: string, values: Values): Promise<void> => {
      const tool = tools.find((each) => each.name === name) ?? assert.fail(name);
      // An int64 is a string of digits; all else is as the SDK parses it.
      const given = Object.entries(values).map(([key, value]) => [key, typeof value === 'bigint' ? `${value}` : value]);
      const args = JSON.parse(toJson({ id, ...Object.fromEntries(given) })) as Values;
      await tool.call(args, client, new AbortController().signal);
    };
    await call('create_plant', one);
    await assertStored(BigInt(id), one);
    await call('update_plant', { [field]: other[field] });
    await assertStored(BigInt(id), changed);
    if (requiredFields.includes(field)) return;
    await call('update_plant', { [`remove_${field}`]: true });
    await assertStored(BigInt(id), omit(changed, field));
  },
  'form of the console': (field, changed) => {
    const version = (values: Values): Parameters<typeof toDraft>[0] => ({
      plant: { id: 7n, ...(values as unknown as Plant) },
      etag: '"a"',
    });
    const draft = toDraft(version(one));
    assert.deepEqual(toPlant(draft), one);
    const typed = { ...draft, [field]: toDraft(version(changed))[field] };
    const { plant } = version(one);
    assert.deepEqual(mergeDraft(draft, plant).patch, {});
    assert.deepEqual(mergeDraft(typed, plant).patch, { [field]: other[field] });
    const absent = present(omit(one, field)) as Values;
    if (!requiredFields.includes(field)) assert.deepEqual(toPlant(toDraft(version(absent))), absent);
    return Promise.resolve();
  },
  'JSON in the form of the console': (_field, changed) => {
    const base = { ...(changed as unknown as Plant), etag: '"a"' };
    assert.equal(toJson(toVersion(7n, { ...emptyDraft, base })?.plant), toJson({ id: 7n, ...changed }));
    return Promise.resolve();
  },
  'columns of a CSV file that the console imports': (field) => {
    const first = [...new Set(['Number', 'NAME', field.toUpperCase()])];
    // Not as the service reads it: the console writes the header line.
    const plan = guessPlan(first, 'windows-1252', 1n);
    assert.equal(toHeader(first, plan, ','), [...new Set(['id', 'name', field])].join());
    assert.deepEqual(toLeftOut(first, plan), []);
    return Promise.resolve();
  },
  'batches that the activity of the console calls tagging: nothing but the tag changed': (field, changed) => {
    const change = { group: 'a', plant: { id: 7n, ...changed, tag: 'new' }, before: { id: 7n, ...one, tag: 'old' } };
    assert.equal(isTagging([change as unknown as Change]), field === 'tag');
    return Promise.resolve();
  },
};

describe('the fields of a plant', () => {
  it('are those of the description, in its order', () => {
    assert.deepEqual(
      plantFields,
      fieldSchemas.map(([field]) => field),
    );
  });
});

/** Adds what the service logged: a column that is missing is only named there. */
async function withLog(check: () => Promise<void>): Promise<void> {
  const before = service.logLines.length;
  try {
    await check();
  } catch (error) {
    const logged = service.logLines.slice(before).filter(({ level }) => level === 'error');
    const lines = logged.map((line) => JSON.stringify(line)).join('\n');
    throw lines === '' ? error : new Error(`${String(error)}\nThe service logged:\n${lines}`, { cause: error });
  }
}

for (const [field] of fieldSchemas as readonly (readonly [PlantField, unknown])[])
  describe(`the field "${field}"`, () => {
    for (const [place, check] of Object.entries(places))
      it(`is in: ${place}`, () => withLog(() => check(field, { ...one, [field]: other[field] })));
  });
