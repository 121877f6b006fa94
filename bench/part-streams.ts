/** POST /plants while a thousand clients follow the changes, compared with nobody following; and what the streams cost in memory. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { compare } from './compare.ts';
import type { Bench } from './context.ts';
import { toCreateSide } from './creates.ts';
import { readResident } from './process-usage.ts';
import { reportComparison } from './report-comparison.ts';
import { token } from './service.ts';

const part = 'streams';
const streams = 1_000;
const goals = { ratio: 0.9 };
const memoryMaxMib = 30;
/** After streams are opened or closed, until the memory of that is collected, in milliseconds. */
const settleMs = 3_000;

export async function runStreams(bench: Bench): Promise<void> {
  const { seconds } = bench.options;
  const [alone, followed] = [await bench.startService(), await bench.startService()];
  const quiet = toCreateSide(bench, 'nobody follows', alone);
  const busy = toCreateSide(bench, 'a thousand streams', followed);
  // Each follows what never comes: what is sent to a thousand clients is their own load, not that of following.
  const openAll = (): Promise<Socket[]> =>
    Promise.all(Array.from({ length: streams }, () => follow(followed.port, 'kind=deleted')));
  // The first ones also warm up the service.
  for (const socket of await openAll()) socket.destroy();
  await sleep(settleMs);
  const before = readResident(followed.pid) ?? NaN;
  const open = await openAll();
  await sleep(settleMs);
  const after = readResident(followed.pid) ?? NaN;
  const comparison = await compare(bench, quiet.side, busy.side, seconds);
  reportComparison(bench.report, part, comparison, goals);
  bench.report.add({
    part,
    name: `memory of ${streams} streams`,
    value: after - before,
    unit: 'MiB',
    goal: { atMost: memoryMaxMib },
  });
  quiet.creates.check(part);
  busy.creates.check(part);
  for (const socket of open) socket.destroy();
}

/** Resolves once the stream has begun. */
async function follow(port: number, query: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `GET /plants/changes?after=now&${query} HTTP/1.1\r\nHost: plants\r\nAuthorization: Bearer ${token}\r\nAccept: text/event-stream\r\n\r\n`,
  );
  await once(socket, 'data');
  socket.resume();
  return socket;
}
