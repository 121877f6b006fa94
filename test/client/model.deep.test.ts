/**
 * Random sequences of calls against a plain Map, through the client and the real service, which is killed and started again on the same
 * folder whenever chance says so. Afterwards the change log must have each change of the Map once, those of a plant in their order. One plant store for all runs: each run begins by deleting what the one before it left.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type Change,
  PlantClient,
  type PlantPatch,
  PlantStoreError,
  type StoredPlant,
} from '../../src/client/client.ts';

import { type ServiceProcess, startProcess } from '../support/start-process.ts';

const runs = Number(process.env['MODEL_RUNS'] ?? 20);

type Fields = Omit<StoredPlant, 'id'>;
type Expected = Pick<Change, 'id' | 'kind' | 'plant' | 'before'>;

/** A Map that keeps its changes. */
class Model extends Map<bigint, Fields> {
  readonly changes: Expected[] = [];

  override set(id: bigint, plant: Fields): this {
    const stored = this.get(id);
    if (stored === undefined) this.changes.push({ id, kind: 'created', plant: { id, ...plant } });
    else if (!isEqual(stored, plant))
      this.changes.push({ id, kind: 'replaced', plant: { id, ...plant }, before: { id, ...stored } });
    return super.set(id, plant);
  }

  override delete(id: bigint): boolean {
    const stored = this.get(id);
    if (stored !== undefined) this.changes.push({ id, kind: 'deleted', before: { id, ...stored } });
    return super.delete(id);
  }
}

/** The service that runs now, and the way to it. */
class World {
  client: PlantClient | undefined;
  #service: ServiceProcess | undefined;
  readonly #dataDir: string;
  readonly #cleanups: (() => Promise<void>)[] = [];

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  get plants(): PlantClient {
    if (this.client === undefined) throw new Error('The service was not started');
    return this.client;
  }

  async start(): Promise<void> {
    const scope = { after: (cleanup: () => Promise<void>): void => void this.#cleanups.push(cleanup) };
    this.#service = await startProcess(scope, { dataDir: this.#dataDir, env: { LOG_LEVEL: 'info' } });
    this.client = new PlantClient({ url: this.#service.url, token: this.#service.token });
  }

  /** Whatever was answered must be there afterwards. */
  async restart(): Promise<void> {
    await this.#service?.kill();
    await this.start();
  }

  async end(): Promise<void> {
    await this.#service?.stop();
    for (const cleanup of this.#cleanups) await cleanup();
  }
}

/** One call: what it does to the service is what it does to the Map. */
class Call implements fc.AsyncCommand<Model, World> {
  readonly #name: string;
  readonly #run: (model: Model, plants: PlantClient, world: World) => Promise<void>;

  constructor(name: string, run: (model: Model, plants: PlantClient, world: World) => Promise<void>) {
    this.#name = name;
    this.#run = run;
  }

  check(): boolean {
    return true;
  }

  run(model: Model, world: World): Promise<void> {
    return this.#run(model, world.plants, world);
  }

  toString(): string {
    return this.#name;
  }
}

// Few ids, so that calls meet; among them the edges of int64 and the first integer that a double rounds.
const id = fc.constantFrom(-(2n ** 63n), -1n, 0n, 7n, 9007199254740993n, 2n ** 63n - 1n);
const text = fc.oneof(
  fc.constantFrom('', 'a', 'A\u0301', '\u00c1', '\u{1f335}', "=1+1'"),
  fc.string({ unit: 'binary', maxLength: 8 }).map(withoutNul),
);
const fields = fc.record({ name: text, tag: text }, { requiredKeys: ['name'], noNullPrototype: true });
const patch: fc.Arbitrary<PlantPatch> = fc.record(
  { name: text, tag: fc.option(text) },
  { requiredKeys: [], noNullPrototype: true },
);
/** Which version a condition names. */
const version = fc.constantFrom('none', 'current', 'stale', 'any');

const commands = [
  fc.tuple(id, fields).map(([key, plant]) => toCreate(key, plant)),
  id.map(toGet),
  fc.tuple(id, fields, version).map(([key, plant, wanted]) => toPut(key, plant, wanted)),
  fc.tuple(id, patch, version).map(([key, change, wanted]) => toPatch(key, change, wanted)),
  fc.tuple(id, version).map(([key, wanted]) => toDelete(key, wanted)),
  fc.integer({ min: 1, max: 4 }).map(toList),
  fc.constant(new Call('restart', (_model, _plants, world) => world.restart())),
];

describe('the client, the service and a Map', () => {
  let folder = '';
  let world: World | undefined;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plant-store-model-'));
    world = new World(join(folder, 'data'));
    await world.start();
  });
  after(async () => {
    await world?.end();
    await rm(folder, { recursive: true });
  });

  it(`agree through ${runs} random histories with kills`, { timeout: 240_000 }, async () => {
    let histories = 0;
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 60 }), async (history) => {
        const real = world ?? assert.fail('The service was not started');
        for await (const plant of real.plants.list()) await real.plants.delete(plant.id);
        const start = await real.plants.latestPosition();
        const model = new Model();
        await fc.asyncModelRun(() => ({ model, real }), history);
        await checkList(model, real.plants, 1000);
        await checkChanges(model, real.plants, start);
        histories++;
      }),
      { numRuns: runs, interruptAfterTimeLimit: 120_000 },
    );
    assert.ok(histories > 0);
  });
});

function toCreate(key: bigint, plant: Fields): Call {
  return new Call(`create ${show(key, plant)}`, async (model, plants) => {
    const stored = model.get(key);
    const call = plants.create({ id: key, ...plant });
    if (stored !== undefined && !isEqual(stored, plant)) {
      await refused(call, 40901);
      return;
    }
    assert.deepEqual(await call, { plant, replayed: stored !== undefined });
    model.set(key, plant);
  });
}

function toGet(key: bigint): Call {
  return new Call(`get ${key}`, async (model, plants) => {
    const found = await plants.get(key);
    const stored = model.get(key);
    assert.deepEqual(found?.plant, stored === undefined ? undefined : { id: key, ...stored });
    if (found === undefined) return;
    assert.equal(await plants.get(key, { ifNoneMatch: found.etag }), 'unchanged');
    assert.deepEqual(await plants.get(key, { ifNoneMatch: '"another"' }), found);
  });
}

function toPut(key: bigint, plant: Fields, wanted: string): Call {
  return new Call(`put ${wanted} ${show(key, plant)}`, async (model, plants) => {
    const stored = model.get(key);
    // Here `stale` stands for the condition that nothing is stored.
    const condition = wanted === 'stale' ? { createOnly: true } : await toCondition(key, wanted, plants);
    const call = plants.put(key, plant, condition);
    if (wanted === 'stale' ? stored !== undefined : wanted !== 'none' && stored === undefined) {
      await refused(call, 41201);
      return;
    }
    const { plant: answered, outcome } = await call;
    assert.deepEqual(answered, { id: key, ...plant });
    assert.equal(outcome, stored === undefined ? 'created' : isEqual(stored, plant) ? 'unchanged' : 'replaced');
    model.set(key, plant);
  });
}

function toPatch(key: bigint, change: PlantPatch, wanted: string): Call {
  return new Call(`patch ${wanted} ${key} ${JSON.stringify(change)}`, async (model, plants) => {
    const stored = model.get(key);
    const call = plants.patch(key, change, await toCondition(key, wanted, plants));
    if (stored === undefined) {
      await refused(call, wanted === 'none' ? 40402 : undefined);
      return;
    }
    if (wanted === 'stale') {
      await refused(call, 41201);
      return;
    }
    const name = change.name ?? stored.name;
    const tag = change.tag === undefined ? stored.tag : (change.tag ?? undefined);
    const changed = tag === undefined ? { name } : { name, tag };
    assert.deepEqual((await call).plant, { id: key, ...changed });
    model.set(key, changed);
  });
}

function toDelete(key: bigint, wanted: string): Call {
  return new Call(`delete ${wanted} ${key}`, async (model, plants) => {
    const isStored = model.has(key);
    const call = plants.delete(key, await toCondition(key, wanted, plants));
    if (isStored && wanted === 'stale') {
      await refused(call, 41201);
      return;
    }
    if (!isStored && wanted !== 'none') {
      // Absent and conditional: either answer is the truth.
      const outcome = await call.catch((error: unknown) => error);
      assert.ok(outcome === false || (outcome instanceof PlantStoreError && outcome.number === 41201), String(outcome));
      return;
    }
    assert.equal(await call, isStored);
    model.delete(key);
  });
}

function toList(pageSize: number): Call {
  return new Call(`list by ${pageSize}`, (model, plants) => checkList(model, plants, pageSize));
}

async function checkList(model: Model, plants: PlantClient, pageSize: number): Promise<void> {
  const expected = [...model].map(([key, plant]) => ({ id: key, ...plant })).sort((a, b) => (a.id < b.id ? -1 : 1));
  assert.deepEqual(await Array.fromAsync(plants.list({ pageSize })), expected);
}

async function checkChanges({ changes }: Model, plants: PlantClient, start: string): Promise<void> {
  const found: Expected[] = [];
  const end = await plants.latestPosition();
  if (end !== start)
    for await (const { position, id: key, kind, plant, before } of plants.changes({ after: start })) {
      found.push({ id: key, kind, ...(plant && { plant }), ...(before && { before }) });
      if (position === end) break;
    }
  const byPlant = (one: Expected, other: Expected): number => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
  assert.deepEqual(found.toSorted(byPlant), changes.toSorted(byPlant));
}

async function toCondition(key: bigint, wanted: string, plants: PlantClient): Promise<{ ifMatch?: string }> {
  if (wanted === 'none') return {};
  if (wanted === 'any') return { ifMatch: '*' };
  return { ifMatch: (wanted === 'current' ? (await plants.get(key))?.etag : undefined) ?? '"stale"' };
}

/** @param number undefined: absent or condition failed, whichever the service looks at first. */
async function refused(call: Promise<unknown>, number: number | undefined): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof PlantStoreError, String(error));
    assert.ok(
      number === undefined ? [40402, 41201].includes(error.number) : error.number === number,
      String(error.number),
    );
    return true;
  });
}

function isEqual(a: Fields, b: Fields): boolean {
  return a.name === b.name && a.tag === b.tag;
}

/** The service takes any Unicode text but this character. */
function withoutNul(value: string): string {
  return value.replaceAll('\0', '');
}

function show(key: bigint, plant: Fields): string {
  return `${key} ${JSON.stringify(plant)}`;
}
