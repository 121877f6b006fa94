/**
 * createPlant with random bodies: valid ones return 200 and are stored exactly, all others return
 * 400 and store nothing.
 */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import type { NewPlant } from '../../src/domain/schemas.ts';
import { toJson } from '../../src/json/to-json.ts';
import { assertPlant } from '../support/assert-reply.ts';
import { readPlants } from '../support/store-under-test.ts';
import { request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after });
/** Set SEED to reproduce a failure. */
const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const runs = Number(process.env['PROPERTY_RUNS'] ?? 300);

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const character = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((text) => text !== '\0');
const text = fc.oneof(
  fc.array(character, { maxLength: 20 }).map((characters) => characters.join('')),
  fc.string({ unit: 'grapheme' }),
  fc.tuple(character, fc.integer({ min: 0, max: 1000 })).map(([one, count]) => one.repeat(count)),
);
const unknownMembers = fc.dictionary(
  fc.string().filter((name) => !['id', 'name', 'tag'].includes(name)),
  fc.jsonValue({ maxDepth: 3 }),
  { maxKeys: 3 },
);
const validBody = fc.record(
  { id: int64, name: text, tag: text, more: unknownMembers },
  { requiredKeys: ['id', 'name', 'more'] },
);

/** A value that is not a valid text for `name` or `tag`. */
const noText = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.array(fc.string(), { maxLength: 2 }),
  fc.constant({}),
  character.map((one) => one.repeat(1001)),
  text.map((value) => `${value.slice(0, 10).replace(/[\ud800-\udbff]$/, '')}\0`),
);
const noInt64 = fc.oneof(
  fc.bigInt({ min: 2n ** 63n, max: 2n ** 70n }),
  fc.bigInt({ min: -(2n ** 70n), max: -(2n ** 63n) - 1n }),
  fc.double({ noInteger: true, noNaN: true, noDefaultInfinity: true }),
  int64.map(String),
  fc.constantFrom(null, true, [], {}),
);
const invalidBody = fc.oneof(
  fc.tuple(noInt64, text).map(([id, name]) => ({ id, name })),
  fc.tuple(int64, noText).map(([id, name]) => ({ id, name })),
  fc.tuple(int64, text, noText).map(([id, name, tag]) => ({ id, name, tag })),
  int64.map((id) => ({ id })),
  text.map((name) => ({ name })),
  fc.jsonValue().filter((value) => typeof value !== 'object' || value === null || Array.isArray(value)),
);

describe(`createPlant with random bodies (SEED=${seed})`, () => {
  const stored = new Map<bigint, NewPlant>();

  it('stores every valid body exactly', async () => {
    const property = fc.asyncProperty(validBody, async ({ more, ...plant }) => {
      if (stored.has(plant.id)) return;
      const reply = await request(service, { body: toJson({ ...more, ...plant }) });
      assertPlant(reply, plant);
      stored.set(plant.id, plant);
    });
    await fc.assert(property, { seed, numRuns: runs });
    assert.deepEqual(readPlants(service.dataDir), stored);
  });

  it('refuses all others with 400, and stores nothing', async () => {
    const property = fc.asyncProperty(invalidBody, async (value) => {
      const { status, text: answer } = await request(service, { body: toJson(value) });
      assert.equal(status, 400, answer);
    });
    await fc.assert(property, { seed, numRuns: runs });
    assert.deepEqual(readPlants(service.dataDir), stored);
  });

  it('refuses random bytes with 400', async () => {
    const property = fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), async (body) => {
      const { status, text: answer } = await request(service, { body });
      assert.equal(status, 400, answer);
    });
    await fc.assert(property, { seed, numRuns: runs });
    assert.deepEqual(readPlants(service.dataDir), stored);
  });
});
