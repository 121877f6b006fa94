/** SIGTERM: requests in progress complete, other connections close, confirmed writes remain. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { assertError } from '../support/assert-reply.ts';
import { makeFolder } from '../support/clean-up.ts';
import { nextId } from '../support/plants.ts';
import { readPlants } from '../support/store-under-test.ts';

import { openTerminal } from '../support/open-terminal.ts';
import { type ProcessOptions, type ServiceProcess, startProcess } from '../support/start-process.ts';
import { assertQuiet } from './assert-cases.ts';
import { create, createHead, host, live, plant } from './bytes.ts';
import { Connection } from './connection.ts';

const exitedWell = { code: 0, signal: null };

/** Starts a service whose data folder is kept. */
async function startKept(context: TestContext, options: ProcessOptions = {}): Promise<ServiceProcess> {
  return startProcess(context, { dataDir: await makeFolder(context), ...options });
}

/** Whether it has waited for its connections until the drain time-out. */
const wasCut = ({ logLines }: ServiceProcess): boolean =>
  logLines.some(({ level, msg }) => level === 'warn' && msg.startsWith('Cut the connections'));

async function signalAndWait(service: ServiceProcess): Promise<void> {
  service.signal('SIGTERM');
  await service.findLog(({ msg }) => msg === 'Draining');
}

/** Creates plants one after another on each connection until refused; records the confirmed ones. */
class Load {
  readonly acknowledged: bigint[] = [];
  /** Complete requests without a response. */
  lost = 0;
  readonly ended: Promise<unknown>;
  readonly #warm = Promise.withResolvers<undefined>();

  constructor(service: ServiceProcess, connectionCount: number) {
    this.ended = Promise.all(Array.from({ length: connectionCount }, () => this.#run(service)));
  }

  /** Resolves once enough requests have completed. */
  get warm(): Promise<undefined> {
    return this.#warm.promise;
  }

  async #run(service: ServiceProcess): Promise<void> {
    const connection = await Connection.open(service);
    for (;;) {
      const id = nextId();
      if (!(await connection.send(create(service, plant(id))))) return;
      const reply = await connection.answer();
      if (reply === undefined) {
        this.lost++;
        return;
      }
      assert.equal(reply.status, 200, reply.text);
      this.acknowledged.push(id);
      if (this.acknowledged.length > 500) this.#warm.resolve(undefined);
      if (reply.headers['connection'] === 'close') return;
    }
  }
}

async function assertStored({ dataDir }: ServiceProcess, ids: readonly bigint[]): Promise<void> {
  const stored = await readPlants(dataDir);
  assert.deepEqual(
    ids.filter((id) => !stored.has(id)),
    [],
  );
}

describe('SIGTERM', () => {
  it('with a drain delay: serves new connections, and is not ready, until the delay ends', async (context) => {
    const env = { PLANT_STORE_DRAIN_DELAY: '1m', PLANT_STORE_METRICS_PORT: '0' };
    const service = await startProcess(context, { env });
    const metrics = await service.findLog(({ msg }) => msg === 'Serving metrics');
    service.signal('SIGTERM');
    await service.findLog(({ msg }) => msg.startsWith('Not ready any more'));
    const headers = { authorization: `Bearer ${service.token}`, connection: 'close' };
    for (const [url, status] of [
      [`${service.url}/readyz`, 503],
      [`http://127.0.0.1:${String(metrics['port'])}/readyz`, 503],
      [`${service.url}/livez`, 200],
      [`${service.url}/plants`, 200],
    ] as const)
      assert.equal((await fetch(url, { headers })).status, status, url);
    // The second signal ends it at once.
    service.signal('SIGTERM');
    assert.deepEqual(await service.exited, { code: 1, signal: null });
  });

  it('completes requests in progress with 200, reports not ready, and closes everything else', async (context) => {
    // Longer than the test, so that no other time-out closes silent connections.
    const service = await startKept(context, { env: { PLANT_STORE_HEADERS_TIMEOUT: '30s' } });
    const id = nextId();
    const body = plant(id);
    const open = (): Promise<Connection> => Connection.open(service);
    const [writing, probing, idle, silent] = [await open(), await open(), await open(), await open()];
    await writing.send(createHead(service, [`Content-Length: ${body.length}`], body.slice(0, 5)));
    await probing.send(`GET /readyz HTTP/1.1\r\n${host}\r\n`);
    await idle.send(live);
    await idle.answer('GET', '/livez');

    await signalAndWait(service);
    assert.deepEqual([await idle.closed, await silent.closed], ['ended', 'ended']);
    await assert.rejects(open(), { code: 'ECONNREFUSED' });
    await probing.send('\r\n');
    const probe = await probing.answer('GET', '/readyz');
    assertError(probe, 'shutting_down');
    await writing.send(body.slice(5));
    const written = await writing.answer();
    assert.equal(written?.status, 200);
    for (const reply of [probe, written]) assert.equal(reply?.headers['connection'], 'close');

    assert.deepEqual(await service.exited, exitedWell);
    assert.equal(wasCut(service), false);
    await assertStored(service, [id]);
    assertQuiet(service);
  });

  it('is what the SIGHUP of a terminal that is closed means, too, although it may send several', async (context) => {
    const terminal = await openTerminal(context);
    if (terminal === undefined) return;
    const service = await startKept(context, { stdin: terminal.fd });
    const writing = await Connection.open(service);
    const id = nextId();
    const body = plant(id);
    await writing.send(createHead(service, [`Content-Length: ${body.length}`], body.slice(0, 5)));
    service.signal('SIGHUP');
    await service.findLog(({ msg }) => msg === 'Draining');
    service.signal('SIGHUP');
    await writing.send(body.slice(5));
    assert.equal((await writing.answer())?.status, 200);
    assert.deepEqual(await service.exited, exitedWell);
    await assertStored(service, [id]);
  });

  it('loses no request of busy clients, and keeps all confirmed writes', async (context) => {
    const service = await startKept(context);
    const load = new Load(service, 8);
    await load.warm;
    await signalAndWait(service);
    await load.ended;
    assert.deepEqual(await service.exited, exitedWell);
    assert.equal(wasCut(service), false);
    assert.equal(load.lost, 0);
    await assertStored(service, load.acknowledged);
  });

  it('disconnects stuck clients after the drain time-out, and still exits cleanly', async (context) => {
    // By the default of the drain time-out, the time-out of the request would end it before.
    const env = { PLANT_STORE_HEADERS_TIMEOUT: '5s', PLANT_STORE_REQUEST_TIMEOUT: '5s' };
    const service = await startKept(context, { env: { ...env, PLANT_STORE_DRAIN_TIMEOUT: '500ms' } });
    const stuck = await Connection.open(service);
    await stuck.send(createHead(service, ['Content-Length: 100'], '{'));
    await signalAndWait(service);
    await stuck.closed;
    assert.deepEqual(await service.exited, exitedWell);
    assert.equal(wasCut(service), true);
  });

  it('exits at once when sent twice, and still keeps all confirmed writes', async (context) => {
    const service = await startKept(context);
    const stuck = await Connection.open(service);
    await stuck.send(createHead(service, ['Content-Length: 100'], '{'));
    const load = new Load(service, 8);
    await load.warm;
    await signalAndWait(service);
    service.signal('SIGTERM');
    assert.deepEqual(await service.exited, { code: 1, signal: null });
    await load.ended;
    await assertStored(service, load.acknowledged);
  });
});
