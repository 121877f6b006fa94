/**
 * Paging through listPlants while plants are added and deleted: no duplicates, and none that stays
 * is missing.
 */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import type { StoredPlant } from '../../src/domain/schemas.ts';
import { toJson } from '../../src/json/to-json.ts';
import { matchesName } from '../support/matches-name.ts';
import { importRows, ndjson } from '../support/bulk.ts';
import { nextOf, put, remove, toRows } from '../support/one-plant.ts';
import { request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after }, { env: { LOG_LEVEL: 'info' } });
/** Set SEED to reproduce a failure. */
const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const runs = 12;
const stored = 3000;
const span = 2n ** 64n / BigInt(stored);

/** Names and tags depend on the id, so that a plant created again is the same. */
function toPlant(id: bigint): StoredPlant {
  const index = Number(BigInt.asUintN(16, id));
  const name = ['fern', 'Férn 2', 'FERNY', 'moss'][index % 4] ?? '';
  const tag = ['wet', 'dry', undefined][index % 3];
  return tag === undefined ? { id, name } : { id, name, tag };
}

/** The plants stored now. */
const model = new Map<bigint, StoredPlant>();
for (let index = 0n; index < BigInt(stored); index++) {
  const id = -(2n ** 63n) + index * span + (index % 7n);
  model.set(id, toPlant(id));
}
const rows = [...model.values()].map((plant) => `${toJson({ ...plant })}\n`).join('');
assert.equal((await importRows(service, ndjson, rows)).created, stored);

interface Query {
  readonly tag?: string | undefined;
  readonly name?: string | undefined;
}

function matches({ tag, name }: Query, plant: StoredPlant): boolean {
  return (tag === undefined || plant.tag === tag) && matchesName(plant.name, name);
}

/** Positions in the list, from 0 to 1: delete the plant there, or add one next to it. */
const change = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  kind: fc.constantFrom('go', 'come', 'change'),
});
const story = fc.record({
  limit: fc.integer({ min: 60, max: 700 }),
  query: fc.record({
    tag: fc.option(fc.constantFrom('wet', 'dry'), { nil: undefined }),
    name: fc.option(fc.constantFrom('FERN', 'férn', 'm', ''), { nil: undefined }),
  }),
  /** One array per page; the last one applies to all further pages. */
  changes: fc.array(fc.array(change, { maxLength: 8 }), { minLength: 1, maxLength: 12 }),
});

describe(`listPlants while plants are added and deleted (SEED=${seed})`, () => {
  it('returns no plant twice, and each one that stayed exactly once', { timeout: 120_000 }, async () => {
    let changed = 0;
    const property = fc.asyncProperty(story, async ({ limit, query, changes }) => {
      const before = [...model.values()].filter((plant) => matches(query, plant));
      const touched = new Set<bigint>();
      const everThere = new Set(before.map(({ id }) => id));
      const shown: StoredPlant[] = [];
      const parameters = Object.entries({ ...query, limit: String(limit) }).filter(([, value]) => value !== undefined);
      let path: string | undefined = `/plants?${new URLSearchParams(parameters as [string, string][]).toString()}`;
      for (let page = 0; path !== undefined; page++) {
        const reply = await request(service, { path });
        shown.push(...toRows(reply));
        path = nextOf(reply);
        for (const each of changes[Math.min(page, changes.length - 1)] ?? []) {
          const id = await apply(each.kind, each.at);
          touched.add(id);
          if (matches(query, model.get(id) ?? toPlant(id))) everThere.add(id);
          changed++;
        }
      }
      const ids = shown.map(({ id }) => id);
      assert.ok(
        ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? id)),
        'ascending, hence none twice',
      );
      const stayed = before.filter(({ id }) => !touched.has(id));
      const shownIds = new Set(ids);
      assert.deepEqual(
        stayed.filter(({ id }) => !shownIds.has(id)),
        [],
        'each that stayed is shown',
      );
      assert.deepEqual(
        shown.filter(({ id }) => !everThere.has(id)),
        [],
        'and none that never fitted',
      );
    });
    await fc.assert(property, { seed, numRuns: runs });
    assert.ok(changed > runs, `${changed} changes were made`);
  });
});

async function apply(kind: string, at: number): Promise<bigint> {
  const ids = [...model.keys()].sort((one, other) => (one < other ? -1 : 1));
  const id = ids[Math.floor(at * (ids.length - 1))] ?? 0n;
  if (kind === 'go') {
    assert.equal((await remove(service, id)).status, 204);
    model.delete(id);
    return id;
  }
  const plant = kind === 'come' ? toPlant(id + 1n) : { ...toPlant(id), name: 'Fern, renamed' };
  assert.ok([200, 201].includes((await put(service, plant.id, plant)).status));
  model.set(plant.id, plant);
  return plant.id;
}
