/** docs/tour.md against the code: each function that it names is called by the request that it follows. */
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
import type { Calls } from './record-calls.ts';

/** Maximum number of files that a reader of one path opens. */
const filesMax = 15;

const socketPath = join(await makeFolder({ after }), 'calls');
const service = await startProcess(
  { after },
  {
    nodeArgs: ['--import', pathToFileURL(join(import.meta.dirname, 'record-calls.ts')).href],
    env: { RECORD_CALLS: socketPath, PLANT_STORE_WEBHOOK_ALLOW_PRIVATE: 'true' },
  },
);
const receiver = await startReceiver({ after }, () => 204);
const tour = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'tour.md'), 'utf8');

/** The functions that ran since the last call, as `file:function`. */
async function takeCalls(): Promise<ReadonlySet<string>> {
  const threads = JSON.parse(await text(connect(socketPath))) as readonly Calls[];
  return new Set(
    threads.flatMap((calls) =>
      Object.entries(calls).flatMap(([file, names]) => names.map((name) => `${file}:${name}`)),
    ),
  );
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
  'GET /plants': () => send('GET', `/plants?tag=fern&limit=2&above=-${lastId++}`),
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
    await create();
    for (const isRead of [true, true, false]) {
      await takeCalls();
      await get();
      const called = await takeCalls();
      assert.ok(called.has('http/steps/response-cache.ts:getOrMake'));
      assert.equal(called.has('http/operations/plants.ts:listPlants'), isRead);
    }
  });

  for (const [title, run] of Object.entries(paths))
    it(`names functions that are called: ${title}`, async () => {
      const [, section = assert.fail(`it has no section "${title}"`)] = tour.split(`## ${title}\n`);
      const [own = ''] = section.split('\n## ');
      const stops = [...own.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, stop = '']) => stop);
      // What a first request alone does, such as to compile its checks, is not part of the path.
      await run();
      await takeCalls();
      await run();
      const called = await takeCalls();
      assert.ok(stops.length > 0);
      assert.deepEqual(
        stops.filter((stop) => !called.has(stop)),
        [],
        'they are not called, or do not exist',
      );
      assert.ok(new Set(stops.map((stop) => stop.split(':')[0])).size <= filesMax);
    });
});
