/** The copy of the plants and the rows that are shown of it, on a service that answers late, in any order, or not at all. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { StoredPlant } from '../../src/client/client.ts';
import { bounds } from '../../console/src/copy/bounds.ts';
import { compares, type Row, toRow } from '../../console/src/copy/order.ts';
import { OwnWrites, type State } from '../../console/src/copy/own-writes.ts';
import type { CopyPorts } from '../../console/src/copy/copy-ports.ts';
import { PlantCopy } from '../../console/src/copy/plant-copy.ts';
import { all } from '../../console/src/copy/query.ts';
import { ShownRows } from '../../console/src/list/shown-rows.ts';
import type { ListOrder } from '../../console/src/route.ts';
import { stopClock } from '../support/stop-clock.ts';
import { ModelService } from './model-service.ts';

const pageSize = 3;
const plantsMax = 12;
const idsMax = 14;
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
};

/** A page on a service with some plants. */
function open(plants: number, charactersMax = bounds.charactersMax) {
  const service = new ModelService();
  /** The position of each name in the log. */
  const positions = new Map<string, number>();
  let names = 0;
  const toPlant = (id: bigint, tag: number): State =>
    tag < 0 ? undefined : { id, name: `Fern ${++names}`, ...(tag === 0 ? {} : { tag: `tag ${tag}` }) };
  for (let id = 1n; id <= plants; id++) service.write(id, toPlant(id, Number(id % 3n)));
  const writes = new OwnWrites();
  const ports: CopyPorts = {
    client: service.client(pageSize),
    writes,
    onError: () => undefined,
    sleep: (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve());
        service.tasks.push(() => resolve());
      }),
    bounds: { ...bounds, plantsMax, charactersMax, pageSize, behindMax: 9 },
  };
  const copy = new PlantCopy(ports);
  const shown = new ShownRows(copy, () => undefined);
  return { service, writes, copy, shown, positions, toPlant };
}

type Page = ReturnType<typeof open>;

/** Lets everything end. */
async function rest({ service, writes }: Page): Promise<void> {
  for (let quiet = 0; quiet < 8;) {
    const task = service.tasks.shift();
    if (task === undefined) {
      service.endPolls();
      quiet++;
    } else {
      task();
      if (!writes.isIdle) quiet = 0;
    }
    await settle();
  }
}

const orders: readonly ListOrder[] = ['id', 'highest', 'name', 'last-name', 'tag', 'last-tag'];
const id = fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: idsMax }));
const tag = fc.integer({ min: -1, max: 2 });
const action = fc.oneof(
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('run' as const), at: fc.nat(50) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('own' as const), id, tag }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('other' as const), id, tag }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose' as const), at: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('hide' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('trim' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('show' as const),
      order: fc.constantFrom(...orders),
      search: fc.constantFrom('', 'fern 1', 'ERN', 'tag', '11, 003'),
      first: fc.nat(6),
    }),
  },
);

type Action = typeof action extends fc.Arbitrary<infer Each> ? Each : never;
type Write = Extract<Action, { readonly kind: 'own' | 'other' }>;
const script = fc.array(action, { minLength: 10, maxLength: 80, size: 'max' });

function namesIn({ copy }: Page): ReadonlyMap<bigint, string> {
  return new Map([...copy.state.rows.values()].map((row) => [row.id, row.plant.name]));
}

/** Shows the changes of the copy. Returns what was wrong with one, and the position in the log of the newest own write that was shown of each plant. */
function watch(page: Page) {
  const { copy, shown, positions } = page;
  const faults: string[] = [];
  const seen = new Map<bigint, number>();
  copy.changes.add((change) => {
    const { ids = new Set<bigint>(), news } = change;
    const toOthers = (rows: readonly Row[]) =>
      rows.filter((row) => !ids.has(row.id) || news.has(row.id)).map((row) => row.id);
    const visible = toOthers(shown.rows.slice(2, 6));
    shown.shift = 0;
    shown.look(2, 5);
    shown.take(change);
    // Rows of this page may move, between those of others.
    const rows = toOthers(shown.rows);
    const from = ids.size === news.size ? 2 + shown.shift : rows.findIndex((each) => each === visible[0]);
    if (change.ids !== undefined)
      for (const [at, each] of visible.entries()) if (rows[from + at] !== each) faults.push(`row ${each} moved`);
    for (const each of ids)
      if (!news.has(each) && shown.has(each) !== (shown.indexOf(each) !== undefined)) faults.push(`own ${each} waits`);
    for (const [each, name] of namesIn(page))
      if ((positions.get(name) ?? 0) < (seen.get(each) ?? 0)) faults.push(`${name} is older than an own write`);
  });
  return { faults, seen };
}

/** Runs the copy as on a visible page. */
function follow({ copy }: Page) {
  let running = new AbortController();
  void copy.run(running.signal);
  const stop = (): void => running.abort(new Error('hidden'));
  const hide = (): void => {
    stop();
    running = new AbortController();
    void copy.run(running.signal);
  };
  return { hide, stop };
}

function write(page: Page, seen: Map<bigint, number>, each: Write): void {
  const { service, writes, positions, toPlant } = page;
  const written = BigInt(each.id);
  const plant = toPlant(written, each.tag);
  const note = (position: number): void => {
    if (plant !== undefined) positions.set(plant.name, position);
  };
  if (each.kind === 'other') {
    if (service.write(written, plant)) note(service.position);
    return;
  }
  void service.own(writes, written, plant, note).then(() => {
    const position = plant === undefined ? undefined : positions.get(plant.name);
    if (position !== undefined && namesIn(page).get(written) === plant?.name) seen.set(written, position);
  });
}

function act(page: Page, seen: Map<bigint, number>, each: Exclude<Action, { readonly kind: 'hide' }>): void {
  const { service, copy, shown } = page;
  if (each.kind === 'run') service.tasks.splice(each.at % Math.max(1, service.tasks.length), 1)[0]?.();
  else if (each.kind === 'lose') service.losses.splice(each.at % Math.max(1, service.losses.length), 1)[0]?.();
  else if (each.kind === 'trim') service.trim();
  else if (each.kind === 'show') {
    shown.show(each.search === '' ? {} : { search: each.search }, each.order);
    copy.aim({ filter: {}, order: each.order === 'highest' ? 'desc' : 'asc' });
  } else write(page, seen, each);
}

/** What each search of a script finds; of ids, nothing else. */
const finds: Readonly<Record<string, RegExp>> = { 'fern 1': / 1| tag 1/, ERN: /./, tag: /tag/, '11, 003': /^-$/ };

function isFound(search: string, { id, name, tag = '' }: StoredPlant): boolean {
  const isOfText = finds[search]?.test(`${name} ${tag}`) ?? true;
  return isOfText || (search === '11, 003' && /^(3|11)$/.test(`${id}`));
}

function assertAsService({ service, copy, shown }: Page): void {
  const stored = [...service.plants.values()];
  if (stored.length > plantsMax) assert.equal(copy.state.isWhole, false);
  for (const row of copy.state.rows.values()) assert.deepEqual(row.plant, service.plants.get(row.id));
  if (!copy.state.isWhole) return;
  assert.equal(copy.state.rows.size, stored.length);
  shown.showAll();
  const { search = '' } = shown.filter;
  const wanted = stored.filter((plant) => isFound(search, plant)).map(toRow);
  assert.deepEqual(
    shown.rows.map((row) => row.id),
    wanted.sort(compares[shown.order]).map((row) => row.id),
  );
}

describe('the copy', () => {
  it('ends as the service, shows own writes at once and never older ones after them, and moves no visible row for others', async (t) => {
    // Rows stay marked as new.
    stopClock(t, { apis: ['setTimeout'] });
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.nat(plantsMax), script, async (isLoaded, plants, actions) => {
        const page = open(plants);
        const { faults, seen } = watch(page);
        const { hide, stop } = follow(page);
        if (isLoaded) await rest(page);
        for (const each of actions) {
          if (each.kind === 'hide') hide();
          else act(page, seen, each);
          await settle();
        }
        await rest(page);
        stop();
        assert.deepEqual(faults, []);
        assert.ok(page.writes.isIdle, 'nothing waits');
        assertAsService(page);
      }),
      { numRuns: Number(process.env['RUNS'] ?? 150) },
    );
  });
});

describe('ShownRows', () => {
  it('counts which of some plants are seen, also in part', () => {
    const rows = new Map([1n, 2n, 3n, 4n, 5n].map((each) => [each, toRow({ id: each, name: 'Fern' })]));
    const shown = new ShownRows({ state: { rows, query: all } }, () => undefined);
    shown.show({}, 'id');
    for (const [first, last, seen] of [
      [1, 3, 2],
      [0.9, 3.1, 4],
      [-1, 1, 1],
    ] as const) {
      shown.look(first, last);
      assert.equal(shown.countSeen(new Set(rows.keys())), seen);
      assert.equal(shown.countSeen(new Set([2n, 9n])), Number(last > 1));
    }
  });

  it('places its own row of a change, while those of others wait', () => {
    const rows = new Map([2n, 4n, 6n].map((each) => [each, toRow({ id: each, name: 'Fern' })]));
    const shown = new ShownRows({ state: { rows, query: all } }, () => undefined);
    shown.show({}, 'id');
    shown.look(0, 3);
    for (const each of [3n, 5n]) rows.set(each, toRow({ id: each, name: 'Fern' }));
    shown.take({ ids: new Set([3n, 5n]), news: new Set([5n]) });
    const ids = (): readonly bigint[] => shown.rows.map((row) => row.id);
    assert.deepEqual([ids(), shown.waiting], [[2n, 3n, 4n, 6n], 1]);
    shown.showAll();
    assert.deepEqual([ids(), shown.waiting], [[2n, 3n, 4n, 5n, 6n], 0]);
  });
});

describe('OwnWrites', () => {
  for (const [when, act] of [
    ['all is read again', (writes: OwnWrites) => writes.startAgain()],
    ['the log was first', (writes: OwnWrites) => writes.claim({ id: 1n, plant: { id: 1n, name: 'Moss' } })],
  ] as const)
    it(`leaves to the log what was under way when ${when}`, () => {
      const writes = new OwnWrites();
      const answers: bigint[] = [];
      writes.onAnswer = (each) => answers.push(each);
      writes.send(1n);
      act(writes);
      writes.answer(1n, { id: 1n, name: 'Fern' }, true);
      assert.deepEqual([answers, writes.pendingIds, writes.isIdle], [[], [], true]);
    });
});

describe('a copy that could not be read', () => {
  it('says so only as long as that is so', async () => {
    const page = open(2);
    const { service, copy } = page;
    const texts: unknown[] = [];
    copy.changes.add(() => texts.push(`${copy.state.phase} ${copy.state.error === undefined ? 'well' : 'in error'}`));
    const lose = async (): Promise<void> => {
      service.losses.at(-1)?.();
      await settle();
    };
    const controller = new AbortController();
    void copy.run(controller.signal);
    await settle();
    await lose();
    copy.retry();
    assert.deepEqual(texts.splice(0), ['failed in error', 'loading well']);
    await rest(page);
    service.endPolls();
    service.tasks.shift()?.();
    await settle();
    await lose();
    assert.deepEqual([texts.at(-1), copy.state.rows.size], ['live in error', 2]);
    copy.retry();
    // The next poll does not wait for a change: what is under way is enough.
    while (service.tasks.length > 0) {
      service.tasks.shift()?.();
      await settle();
    }
    assert.equal(texts.at(-1), 'live well');
    controller.abort(new Error('over'));
  });
});

describe('a copy that is behind', () => {
  it('is live as soon as there is nothing more to read', async () => {
    const page = open(2);
    const { service, copy, toPlant } = page;
    const controller = new AbortController();
    void copy.run(controller.signal);
    await rest(page);
    service.endPolls();
    const states: string[] = [];
    copy.changes.add(() => states.push(copy.state.phase));
    for (let id = 3n; id < 3 + pageSize; id++) service.write(id, toPlant(id, 1));
    while (service.tasks.length > 0) {
      service.tasks.shift()?.();
      await settle();
    }
    assert.deepEqual([states.includes('behind'), states.at(-1)], [true, 'live']);
    controller.abort(new Error('over'));
  });
});

describe('a copy that its service outgrows', () => {
  it('is not whole as soon as the first plants of the list replace all', async () => {
    const page = open(plantsMax);
    const { service, copy, toPlant } = page;
    copy.aim({ filter: {}, order: 'desc' });
    const faults: number[] = [];
    copy.changes.add(() => {
      if (copy.state.isWhole && copy.state.rows.size < plantsMax) faults.push(copy.state.rows.size);
    });
    const controller = new AbortController();
    void copy.run(controller.signal);
    await rest(page);
    assert.equal(copy.state.isWhole, true);
    for (let plant = plantsMax + 1; plant <= plantsMax + 10; plant++)
      service.write(BigInt(plant), toPlant(BigInt(plant), 1));
    await rest(page);
    controller.abort(new Error('over'));
    assert.deepEqual([copy.state.isWhole, copy.state.rows.size, faults], [false, plantsMax, []]);
  });

  it('has the plants of the last list, whenever that is shown', async () => {
    for (let tasks = 0; tasks < 20; tasks++) {
      const page = open(plantsMax, 60);
      const { service, copy } = page;
      copy.aim({ filter: {}, order: 'desc' });
      const controller = new AbortController();
      void copy.run(controller.signal);
      for (let task = 0; task < tasks; task++) {
        await settle();
        service.tasks.shift()?.();
      }
      copy.aim({ filter: { tag: 'tag 1' }, order: 'asc' });
      await rest(page);
      controller.abort(new Error('over'));
      assert.deepEqual(
        [copy.state.phase, copy.state.query.filter, copy.state.rows.size],
        ['live', { tag: 'tag 1' }, 4],
        `after ${tasks}`,
      );
    }
  });
});
