/** Which exports get a place, and which lose theirs. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Call } from '../../src/http/operations/call.ts';
import { ExportPlaces } from '../../src/http/operations/export.ts';
import type { Reply } from '../../src/http/wire/reply.ts';

function callOf(limitKey: string): { call: Call<'exportPlants'>; leave: () => void } {
  const listeners: (() => void)[] = [];
  const onGone = (listener: () => void): void => void listeners.push(listener);
  const call = {
    principal: { limitKey, scopes: new Set() },
    client: { isHead: false, onGone },
  } as unknown as Call<'exportPlants'>;
  return { call, leave: () => listeners.forEach((listener) => listener()) };
}

async function begin(): Promise<Reply> {
  const stream = (async function* () {
    for (;;) yield await Promise.resolve('row');
  })();
  return Promise.resolve({ status: 200, headers: {}, stream });
}

it('cuts exports of clients that hardly read, when another one waits', async () => {
  const clock = { now: 0 };
  const places = new ExportPlaces(() => clock.now);
  const calls = ['one', 'one', 'two', 'two'].map(callOf);
  const replies = await Promise.all(calls.map(({ call }) => places.run(call, begin)));
  for (const { stream } of replies) await stream?.next();
  const { call } = callOf('three');
  await assert.rejects(places.run(call, begin), { code: 'store_busy' });
  const cut = (): (boolean | undefined)[] => replies.map(({ end }) => end?.aborted);
  assert.deepEqual(cut(), [false, false, false, false]);
  clock.now = 5_001;
  await replies[1]?.stream?.next();
  clock.now = 6_000;
  await replies[1]?.stream?.next();
  for (const { stream } of replies.slice(2)) await stream?.next();
  for (const { stream } of replies.slice(2)) await stream?.next();
  await assert.rejects(places.run(call, begin), { code: 'store_busy' });
  assert.deepEqual(cut(), [true, false, false, false]);
  calls[0]?.leave();
  assert.ok((await places.run(call, begin)).stream);
});

it('lets one token have half of the places', async () => {
  const places = new ExportPlaces(() => 0);
  const calls = ['one', 'one', 'one', 'two'].map(callOf);
  const [first, second, third, other] = calls.map(({ call }) => places.run(call, begin));
  await Promise.all([first, second, other]);
  await assert.rejects(third ?? Promise.resolve(), { code: 'store_busy' });
});
