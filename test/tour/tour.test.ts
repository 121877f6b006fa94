/** docs/tour.md against the code: the request that it follows calls each function that it names, in its order. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { makeFolder } from '../support/clean-up.ts';
import { request } from '../support/request.ts';
import { startProcess } from '../support/start-process.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import type { RecordedCall } from './record-calls.ts';

/** Maximum number of files that a reader of one path opens. */
const filesMax = 15;

const tour = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'tour.md'), 'utf8');

/** The functions that a section or the page names, as `file:function`. */
function findStops(section: string): readonly string[] {
  return [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, stop = '']) => stop);
}

const socketPath = join(await makeFolder({ after }), 'calls');
const service = await startProcess(
  { after },
  {
    nodeArgs: ['--import', pathToFileURL(join(import.meta.dirname, 'record-calls.ts')).href],
    env: {
      RECORD_CALLS: socketPath,
      STOPS: JSON.stringify(findStops(tour)),
      PLANT_STORE_WEBHOOK_ALLOW_PRIVATE: 'true',
    },
  },
);
const receiver = await startReceiver({ after }, () => 204);

/** The calls since the last time, in their order, as `file:function`. */
async function takeCalls(): Promise<readonly string[]> {
  const calls = JSON.parse(await text(connect(socketPath))) as readonly RecordedCall[];
  return calls.toSorted(([one], [other]) => one - other).map(([, stop]) => stop);
}

/** Leaves out the stops that are called only before a stop in front of them. */
function inOrder(stops: readonly string[], calls: readonly string[]): readonly string[] {
  let last = -1;
  return stops.filter((stop) => {
    const at = calls.indexOf(stop, last + 1);
    if (at !== -1) last = at;
    return at !== -1;
  });
}

async function send(method: string, path: string, body?: object): Promise<string> {
  const reply = await request(service, { method, path, body: body && JSON.stringify(body) });
  assert.ok(reply.status < 300, reply.text);
  return reply.text;
}

let lastId = 0;
/** The tag of all plants. */
let tag = 'fern';
const create = (): Promise<string> => send('POST', '/plants', { id: (lastId += 1), name: 'Fern', tag: 'fern' });
await create();

/** Ends once a further delivery is noted. */
async function deliver(): Promise<void> {
  if (receiver.requests.length === 0) await send('POST', '/webhooks', { url: receiver.url, events: ['plant.created'] });
  const [{ id = assert.fail() } = {}] = JSON.parse(await send('GET', '/webhooks')) as readonly {
    readonly id?: string;
  }[];
  const count = async (): Promise<number> =>
    (await send('GET', `/webhooks/${id}/deliveries`)).split('"delivered"').length - 1;
  const before = await count();
  await create();
  while ((await count()) === before) await setImmediate();
}

const paths: Readonly<Record<string, () => Promise<unknown>>> = {
  'POST /plants': create,
  // Not from the cache.
  'GET /plants': () => send('GET', `/plants?tag=fern&limit=2&above=-${(lastId += 1)}`),
  'POST /plants/batch': async () => {
    const from = { tag };
    tag = tag === 'fern' ? 'shade' : 'fern';
    await send('POST', '/plants/batch', { action: 'setTag', tag, plants: from });
  },
  'A delivery to a webhook': deliver,
};

describe('docs/tour.md', () => {
  it('gets the third equal page from the cache', async () => {
    const get = (): Promise<string> => send('GET', '/plants?tag=fern&limit=2');
    // A function that was called once is recorded from then on.
    await send('GET', '/plants?tag=other&limit=2');
    for (const isRead of [true, true, false]) {
      await takeCalls();
      await get();
      const called = await takeCalls();
      assert.ok(called.includes('http/steps/response-cache.ts:getOrMake'));
      assert.equal(called.includes('http/operations/plants.ts:listPlants'), isRead);
    }
  });

  for (const [title, run] of Object.entries(paths))
    it(`names functions in the order of their calls: ${title}`, async () => {
      const [, section = assert.fail(`it has no section "${title}"`)] = tour.split(`## ${title}\n`);
      const [own = ''] = section.split('\n## ');
      const stops = findStops(own);
      // What a first request alone does, such as to compile its checks, is not part of the path.
      await run();
      await takeCalls();
      await run();
      const called = await takeCalls();
      assert.ok(stops.length > 0);
      assert.deepEqual(
        stops.filter((stop) => !called.includes(stop)),
        [],
        'they are not called, or do not exist',
      );
      assert.deepEqual(inOrder(stops, called), stops, 'they are called in another order');
      assert.ok(new Set(stops.map((stop) => stop.split(':')[0])).size <= filesMax);
    });
});
