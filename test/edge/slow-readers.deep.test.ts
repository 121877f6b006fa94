/** Clients that send and do not read: the service's memory for all of them is bounded. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { importRows, ndjson } from '../support/bulk.ts';
import { assertServes } from '../support/plants.ts';

import { type ServiceProcess, startProcess } from '../support/start-process.ts';
import { bearer, head, host, live } from './bytes.ts';
import { Connection } from './connection.ts';

const skip = existsSync('/proc/self/status') ? false : 'this system has no /proc to read memory from';
/** On a slow machine the service needs longer than its usual time-outs to parse what they send at once. */
const patience = { PLANT_STORE_HEADERS_TIMEOUT: '60s', PLANT_STORE_REQUEST_TIMEOUT: '60s' };
const smallHeap = { nodeArgs: ['--max-old-space-size=128'], env: { LOG_LEVEL: 'info', ...patience } };
/** Resident memory of a service with this heap, in bytes: about 130 MB of its own, and 64 MiB for slow readers, doubled. */
const memoryMax = 400 * 1024 * 1024;

function readMemory({ pid }: ServiceProcess): number {
  const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}

/** Returns the maximum memory within some seconds. */
async function watchMemory(service: ServiceProcess): Promise<number> {
  let most = 0;
  for (let look = 0; look < 30; look++) {
    most = Math.max(most, readMemory(service));
    await setTimeout(100);
  }
  return most;
}

async function stall(service: ServiceProcess, connections: number, bytes: string): Promise<Connection[]> {
  const stalled: Connection[] = [];
  for (let number = 0; number < connections; number++) {
    const connection = await Connection.open(service);
    connection.stall();
    // Not awaited: the service stops reading.
    void connection.send(bytes);
    stalled.push(connection);
  }
  return stalled;
}

/** Memory stays bounded for some seconds, and others are served. The clients leave then. */
async function assertBounded(service: ServiceProcess, stalled: readonly Connection[]): Promise<void> {
  const memory = await watchMemory(service);
  assert.ok(memory < memoryMax, `${Math.round(memory / 1e6)} MB`);
  await assertServes(service);
  for (const connection of stalled) connection.leave();
}

async function importLargePlants(service: ServiceProcess, character = 'x'): Promise<void> {
  const text = character.repeat(1_000);
  const rows = Array.from({ length: 1_000 }, (_, id) => `{"id":${id},"name":"${text}","tag":"${text}"}\n`);
  assert.equal((await importRows(service, ndjson, rows.join(''))).created, 1_000);
}

describe('clients that do not read', { skip }, () => {
  it('cost bounded memory with pipelined requests and no token', async (context) => {
    const service = await startProcess(context, smallHeap);
    const stalled = await stall(service, 60, live.repeat(5_000));
    await assertBounded(service, stalled);
  });

  it('cost bounded memory with pipelined requests of many header fields, which wait for a change', async (context) => {
    const service = await startProcess(context, smallHeap);
    const poll = head('GET /plants/changes?after=now&wait=60 HTTP/1.1', [host, bearer(service)]);
    // Together just below the limit on header fields.
    const fields = Array.from({ length: 98 }, (_, number) => `X-${number}: ${'x'.repeat(145)}`);
    const stalled = await stall(service, 60, poll + head('GET /livez HTTP/1.1', [host, ...fields]).repeat(190));
    await assertBounded(service, stalled);
  });

  it('cost bounded memory with pipelined large pages', async (context) => {
    const service = await startProcess(context, smallHeap);
    await importLargePlants(service);
    const page = head('GET /plants?limit=1000 HTTP/1.1', [host, bearer(service)]);
    const stalled = await stall(service, 60, page.repeat(100));
    await assertBounded(service, stalled);
  });

  it('cost bounded memory with streams of large changes', async (context) => {
    const service = await startProcess(context, smallHeap);
    await importLargePlants(service);
    const stream = head('GET /plants/changes?limit=1000 HTTP/1.1', [
      ...[host, bearer(service)],
      'Accept: text/event-stream',
    ]);
    const stalled = await stall(service, 200, stream);
    await assertBounded(service, stalled);
  });

  it('do not delay a shutdown with streams of changes', async (context) => {
    const service = await startProcess(context);
    // 12 MB of changes: more than the buffers of a connection.
    await importLargePlants(service, String.raw`\u0001`);
    const stream = head('GET /plants/changes HTTP/1.1', [host, bearer(service), 'Accept: text/event-stream']);
    await stall(service, 2, stream);
    await setTimeout(500);
    await service.stop();
    assert.ok(!service.logLines.some(({ msg }) => msg.startsWith('Cut the connections')));
  });
});
