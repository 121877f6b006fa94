/** The open list and the change log, without a browser: what is shown at once, what waits, and what this page did itself. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { claimGroup, claimOwn } from '../../console/src/history/own-writes.ts';
import { type Announcement, type LoggedChange, onAnnounced } from '../../console/src/copy/changes.ts';
import { LiveRows } from '../../console/src/plants/live-rows.ts';
import { PlantWindow } from '../../console/src/plants/plant-window.ts';
import { type Change, PlantClient, type PlantFilter, type StoredPlant } from '../../src/client/client.ts';
import { startService } from '../support/start-service.ts';
import { lose, openGate } from './gate.ts';

const service = await startService({ after });
const other = new PlantClient({ url: service.url, token: service.token });

const plant = (id: bigint, name = `Fern ${id}`, tag?: string): StoredPlant => ({
  id,
  name,
  ...(tag === undefined ? {} : { tag }),
});

/** A list of ferns 10 to 400, of which the first 20 are visible, with what changes in it. */
async function open(
  filter: PlantFilter = {},
  plants = Array.from({ length: 40 }, (_, at) => plant(BigInt(at * 10 + 10))),
) {
  let isHeld = false;
  const held = Promise.withResolvers<undefined>();
  const window = new PlantWindow(
    {
      direction: 1n,
      compare: (one, other) => Number(one.id - other.id),
      read: async () => {
        if (isHeld) await held.promise;
        return { items: plants, isLast: true };
      },
    },
    () => live.takeLate(),
  );
  const live = new LiveRows(window, filter, () => undefined);
  const look = async (): Promise<void> => {
    window.look(0, 19);
    await new Promise((resolve) => setImmediate(resolve));
  };
  await look();
  const names = (): readonly string[] => Array.from({ length: window.rowCount }, (_, at) => window.row(at)?.name ?? '');
  /** Reads the list again, and holds the response until `release`. */
  const hold = (): (() => Promise<void>) => {
    isHeld = true;
    window.refresh();
    window.look(0, 19);
    return async () => {
      held.resolve(undefined);
      await new Promise((resolve) => setImmediate(resolve));
    };
  };
  return { window, live, names, hold };
}

/** What the log tells. Without a plant: deleted. */
const logged = (...changes: readonly (StoredPlant | bigint)[]): Announcement & { kind: 'logged' } => ({
  kind: 'logged',
  isFlood: false,
  changes: changes.map((each) => toChange(each)),
});

function toChange(each: StoredPlant | bigint, own: Partial<LoggedChange> = {}): LoggedChange {
  const change =
    typeof each === 'bigint' ? { id: each, kind: 'deleted' } : { id: each.id, kind: 'replaced', plant: each };
  return { isOwn: false, isOutdated: false, ...change, ...own } as LoggedChange;
}

describe('a change by someone else', () => {
  it('is shown in its row, which is highlighted', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const { live, names } = await open();
    live.take(logged(plant(30n, 'Changed')));
    assert.deepEqual([names()[2], live.isFlashing(30n), live.waiting], ['Changed', true, 0]);
    test.mock.timers.tick(1_600);
    assert.equal(live.isFlashing(30n), false);
  });

  it('that would move visible rows waits for the person', async () => {
    const { live, names } = await open();
    live.take(logged(plant(51n, 'New between')));
    live.take(logged(50n));
    assert.deepEqual([live.waiting, live.isGone(50n), names().length], [2, true, 40]);
    live.apply();
    assert.deepEqual(names().slice(3, 6), ['Fern 40', 'New between', 'Fern 60']);
    assert.deepEqual([live.waiting, live.isGone(50n)], [0, false]);
  });

  it('below the visible rows is shown at once', async () => {
    const { live, names } = await open();
    live.take(logged(plant(100_000n, 'Last')));
    assert.deepEqual([names().at(-1), live.waiting], ['Last', 0]);
  });

  it('that is taken back leaves nothing', async () => {
    const { live } = await open();
    live.take(logged(70n, plant(71n)));
    assert.equal(live.waiting, 2);
    live.take(logged(plant(70n), 71n));
    assert.deepEqual([live.waiting, live.isGone(70n)], [0, false]);
  });

  it('that takes a plant out of the filter is shown, and waits to leave', async () => {
    const { live, names } = await open({ tag: 'shade' }, [plant(1n, 'Fern', 'shade'), plant(2n, 'Ivy', 'shade')]);
    live.take(logged(plant(3n, 'Of another tag', 'sale'), plant(1n, 'Fern', 'sale')));
    assert.deepEqual([names(), live.waiting], [['Fern', 'Ivy'], 1]);
    live.apply();
    assert.deepEqual(names(), ['Ivy']);
  });

  it('is one of many when there are too many', async () => {
    const { live } = await open();
    live.take(logged(...Array.from({ length: 501 }, (_, at) => plant(BigInt(-1 - at)))));
    assert.equal(live.waiting, 'many');
    live.clear();
    live.take({ ...logged(plant(-1n)), isFlood: true });
    assert.equal(live.waiting, 'many');
  });
});

describe('what this page has written', () => {
  it('is shown at once, and not counted', async () => {
    const { live, names } = await open();
    live.take({ kind: 'stored', plant: plant(11n, 'New'), isNew: true });
    live.take({ kind: 'deleted', id: 10n });
    assert.deepEqual([names().slice(0, 2), live.waiting], [['New', 'Fern 20'], 0]);
  });

  it('is newer than a list that was being read', async () => {
    const { live, names, hold } = await open();
    const release = hold();
    live.take({ kind: 'stored', plant: plant(11n, 'New'), isNew: true });
    live.take({ kind: 'deleted', id: 10n });
    await release();
    assert.deepEqual(names().slice(0, 2), ['New', 'Fern 20']);
  });

  for (const isTogether of [true, false])
    it(`stays, when the log tells ${isTogether ? 'at once' : 'later'} what others did before`, async () => {
      const { live, names } = await open();
      const [theirs, mine] = [plant(20n, 'Theirs'), plant(20n, 'Mine')];
      live.take({ kind: 'stored', plant: mine, isNew: false });
      live.take({ kind: 'deleted', id: 30n });
      const own = { isOwn: true };
      const changes = [
        toChange(theirs),
        toChange(plant(30n, 'Theirs, too')),
        toChange(mine, own),
        toChange(30n, own),
        toChange(plant(400n, 'Last of the log')),
      ];
      if (isTogether) live.take({ kind: 'logged', isFlood: false, changes });
      else for (const change of changes) live.take({ kind: 'logged', isFlood: false, changes: [change] });
      assert.deepEqual(names().slice(0, 3), ['Fern 10', 'Mine', 'Fern 40']);
      assert.deepEqual([names().at(-1), live.waiting], ['Last of the log', 0]);
    });

  it('is not shown when it is outdated', async () => {
    const { live, names } = await open();
    live.take({
      kind: 'logged',
      isFlood: false,
      changes: [toChange(plant(20n, 'First'), { isOwn: true, isOutdated: true })],
    });
    assert.equal(names()[1], 'Fern 20');
  });
});

describe('claimOwn()', () => {
  const claimLogged = (change: Change) => {
    const { isOwn, isOutdated } = claimOwn(change);
    return { isOwn, isOutdated };
  };
  const claim = (change: StoredPlant | bigint) => claimLogged(toChange(change));
  const [news, known, outdated] = [
    { isOwn: false, isOutdated: false },
    { isOwn: true, isOutdated: false },
    { isOwn: true, isOutdated: true },
  ];

  it('accounts for one change with each write, by what it leads to', async () => {
    const { client } = openGate(service);
    await client.create(plant(1n, 'One'));
    await client.create(plant(1n, 'One'));
    await client.put(1n, { name: 'Two' });
    await client.put(1n, { name: 'Two' });
    await client.patch(1n, { tag: 'x' });
    await client.patch(1n, { tag: null });
    await client.delete(1n);
    await client.delete(1n);
    // Each of those by this page is followed by others, until the last.
    const log = [plant(1n, 'One'), plant(1n, 'Two'), plant(1n, 'Two', 'x'), plant(1n, 'Two')];
    assert.deepEqual(log.map(claim), Array(4).fill(outdated));
    assert.deepEqual([1n, 1n].map(claim), [known, news]);
  });

  it('knows a write whose response is still to come, and what comes before it', async () => {
    await other.put(2n, { name: 'Before' });
    const { client, hold } = openGate(service);
    const { sent, release } = hold(/^PUT/);
    const writing = client.put(2n, { name: 'Mine' });
    await sent;
    assert.deepEqual(claim(plant(2n, 'Theirs')), news);
    assert.deepEqual(claim(plant(2n, 'Mine')), outdated);
    release();
    await writing;
    assert.deepEqual(claim(plant(2n, 'Mine')), news);
  });

  it('remembers a bounded number of batches', () => {
    for (let batch = 0; batch <= 100; batch++) claimGroup(`batch ${batch}`);
    const ofGroup = (group: string): Change => ({ ...toChange(plant(3n, 'Three')), group });
    assert.deepEqual(['batch 0', 'batch 1'].map(ofGroup).map(claimLogged), [news, known]);
  });

  it('reads everything again when a change was claimed whose response is lost', async (test) => {
    const { client, on } = openGate(service);
    const told: string[] = [];
    test.after(onAnnounced(({ kind }) => void told.push(kind)));
    on(/^PUT/, async (send) => {
      assert.deepEqual(claim(plant(3n, 'Lost')), outdated);
      return lose(send);
    });
    await assert.rejects(client.put(3n, { name: 'Lost' }));
    assert.deepEqual(told, ['many']);
  });

  it('takes the changes of its imports for its own', async () => {
    const { client, hold } = openGate(service);
    const { sent, release } = hold(/import/);
    const importing = client.import('id,name\n4,Imported\n', { mediaType: 'text/csv' });
    await sent;
    const claimLast = async () => (await other.changesPage({ order: 'desc', pageSize: 1 })).items.map(claimLogged);
    assert.deepEqual(await claimLast(), [outdated]);
    release();
    await importing;
    assert.deepEqual(claim(plant(4n, 'Imported')), news);
  });

  it('takes the changes of its batches for its own, also before their response', async () => {
    await other.put(5n, { name: 'Sage' });
    const { client, hold } = openGate(service);
    const { sent, release } = hold(/batch/);
    const running = client.batch({ action: 'setTag', plants: [5n], tag: 'x' });
    await sent;
    const claimLast = async () => {
      const { items } = await other.changesPage({ order: 'desc', pageSize: 1 });
      return items.map(claimLogged);
    };
    assert.deepEqual(await claimLast(), [outdated]);
    release();
    await running;
    assert.deepEqual(await claimLast(), [outdated]);
    await other.batch({ action: 'clearTag', plants: [5n] });
    assert.deepEqual(await claimLast(), [news]);
  });

  it('shows the changes of a batch that goes on without its response, as its own', async () => {
    await other.put(6n, { name: 'Sage' });
    const { client, on } = openGate(service);
    on(/batch/, lose);
    await assert.rejects(client.batch({ action: 'setTag', plants: [6n], tag: 'x' }));
    const { items } = await other.changesPage({ order: 'desc', pageSize: 1 });
    assert.deepEqual(items.map(claimLogged), [known]);
  });
});
