/** What a request to a subscriber may reach, and how long and how much it may read. */
import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { createServer } from 'node:https';
import { after, describe, it } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type AddressPolicy, type Resolve, toAddressPolicy } from '../../src/webhooks/addresses.ts';
import { Sender, type SendResult, type SenderOptions } from '../../src/webhooks/sender.ts';
import { certificate, privateKey } from '../edge/self-signed.ts';
import { listen } from '../support/listen.ts';
import { stopClock } from '../support/stop-clock.ts';
import { until } from '../support/until.ts';
import { startReceiver } from './receiver.ts';

const secrets = ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'];
const refused = {
  isDelivered: false,
  error:
    'The URL must not lead into a private network, unless the service is started with PLANT_STORE_WEBHOOK_ALLOW_PRIVATE=true',
};
const never = new AbortController().signal;

function open(options: Partial<SenderOptions> = {}): Sender {
  const sender = new Sender({ policy: toAddressPolicy(true), ...options });
  after(() => sender.close());
  return sender;
}

function send(sender: Sender, url: string, signal = never): Promise<SendResult> {
  return sender.send({ url, id: 'msg_1', body: '{"id":1,"name":"a"}', now: Date.now(), secrets }, signal);
}

const addressOf = (address: string): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 });

/** Look-ups that end when the test says so: there is no such host. */
class HeldLookups {
  readonly names: string[] = [];
  readonly #ends: (() => void)[] = [];

  readonly resolve: Resolve = (name) => {
    this.names.push(name);
    return new Promise((_resolve, reject) => {
      this.#ends.push(() => reject(Object.assign(new Error('made by a test'), { code: 'ENOTFOUND' })));
    });
  };

  endFirst(): void {
    this.#ends.shift()?.();
  }
}

describe('a sender that is limited to public addresses', () => {
  const policy = toAddressPolicy(false);

  // test/http/webhooks.test.ts tests URLs.
  for (const url of ['http://example.com/', 'https://[::1]/']) {
    it(`sends nothing to ${url}`, async () => {
      const sender = open({ policy, resolve: () => assert.fail('no look-up') });
      const { isDelivered, error = '' } = await send(sender, url);
      assert.equal(isDelivered, false);
      assert.match(error, /^The URL must /);
    });
  }

  for (const address of [
    ...['127.0.0.1', '10.0.0.1', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0'],
    ...['192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1'],
    ...['255.255.255.255', '::', '::1', '::7f00:1', '::ffff:10.0.0.1', '::ffff:169.254.169.254', 'fe80::1'],
    ...[
      'fe80::1%eth0',
      'fc00::1',
      'fd12:3456::1',
      'fec0::1',
      'ff02::1',
      '64:ff9b::a00:1',
      '64:ff9b:1::808:808',
      '2002:a00:1::1',
    ],
    ...['2001::1', '2001:db8::1', '100::1', '168.63.129.16', '::ffff:168.63.129.16', 'not an address'],
  ]) {
    it(`refuses a host with the address ${address}`, async () => {
      const sender = open({ policy, resolve: async () => [addressOf('8.8.8.8'), addressOf(address)] });
      assert.deepEqual(await send(sender, 'https://example.com/'), refused);
    });
  }

  it('allows public addresses', () => {
    for (const address of ['8.8.8.8', '1.1.1.1', '::ffff:8.8.8.8', '2606:4700:4700::1111', '64:ff9b::808:808'])
      assert.equal(policy.isAllowed(address), true, address);
  });
});

describe('a sender', () => {
  it('connects to the address that was checked, although the name has another one a moment later', async (test) => {
    const allowed = await startReceiver(test, () => 204, { host: '127.0.0.2' });
    const { port } = new URL(allowed.url);
    const forbidden = await startReceiver(test, () => 204, { host: '127.0.0.3', port: Number(port) });
    let lookups = 0;
    const policy: AddressPolicy = { allowsHttp: true, isAllowed: (address) => address === '127.0.0.2' };
    const sender = open({
      policy,
      resolve: async () => [addressOf(++lookups === 1 ? '127.0.0.2' : '127.0.0.3')],
    });
    const result = await send(sender, `http://rebinding.example:${port}/hook`);
    assert.deepEqual(result, { isDelivered: true, responseStatus: 204 });
    assert.deepEqual([lookups, allowed.requests.length], [1, 1]);
    assert.equal(allowed.requests[0]?.headers.host, `rebinding.example:${port}`);
    // A connection of its own looks the name up again, and is refused.
    const second = open({ policy, resolve: async () => [addressOf('127.0.0.3')] });
    assert.deepEqual(await send(second, `http://rebinding.example:${port}/hook`), refused);
    assert.equal(forbidden.requests.length, 0);
  });

  it('verifies the certificate of the host, by its name, although it connects to an address', async (test) => {
    const server = createServer({ cert: certificate, key: privateKey }, (_request, response) => {
      response.writeHead(204).end();
    });
    const port = await listen(test, server);
    const resolve = async (): Promise<LookupAddress[]> => [addressOf('127.0.0.1')];
    const untrusted = await send(open({ resolve }), `https://localhost:${port}/`);
    assert.equal(untrusted.error, 'The request failed: its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)');
    const trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, certificate]);
    test.after(() => setDefaultCACertificates(trusted));
    assert.deepEqual(await send(open({ resolve }), `https://localhost:${port}/`), {
      isDelivered: true,
      responseStatus: 204,
    });
    const other = await send(open({ resolve }), `https://shop.example:${port}/`);
    assert.equal(other.error, 'The request failed: its certificate is for another host (ERR_TLS_CERT_ALTNAME_INVALID)');
  });

  it('follows no redirect', async (test) => {
    const target = await startReceiver(test);
    for (const status of [301, 302, 303, 307, 308]) {
      const receiver = await startReceiver(test, (_index, _received, response) => {
        response.writeHead(status, { location: target.url }).end();
        return undefined;
      });
      const { isDelivered, responseStatus, error } = await send(open(), receiver.url);
      assert.deepEqual([isDelivered, responseStatus], [false, status]);
      assert.match(error ?? '', /redirects are not followed/);
    }
    assert.equal(target.requests.length, 0);
  });

  it('reports a receiver that wants to change the protocol as failed', async (test) => {
    const receiver = await startReceiver(test, (_index, _received, response) => {
      response.writeHead(101, { connection: 'Upgrade', upgrade: 'other' }).end();
      return undefined;
    });
    assert.deepEqual(await send(open({ timeoutMs: 2_000 }), receiver.url), {
      isDelivered: false,
      responseStatus: 101,
      error: 'The response has status 101',
      retryAfterMs: undefined,
    });
  });

  it('reads at most 64 KiB of a response, and counts its status', async (test) => {
    let written = 0;
    const receiver = await startReceiver(test, (_index, _received, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384))) written += 16_384;
      };
      response.on('drain', more);
      more();
      return undefined;
    });
    assert.deepEqual(await send(open(), receiver.url), { isDelivered: true, responseStatus: 200 });
    await until(() => receiver.open() === 0, 'the connection is closed');
    assert.ok(written < 20_000_000, `${written} bytes`);
  });

  it('waits for the status at most as long as the timeout', async (test) => {
    const silent = await startReceiver(test, () => undefined);
    const late = { isDelivered: false, error: 'No response within 0.5 seconds' };
    assert.deepEqual(await send(open({ timeoutMs: 500 }), silent.url), late);
    const hanging = open({ timeoutMs: 500, resolve: () => new Promise(() => undefined) });
    assert.deepEqual(await send(hanging, 'http://slow-names.example/'), late);
  });

  it('takes the status at once, and leaves at most 100 bodies open that do not end', async (test) => {
    const closed = Promise.withResolvers<undefined>();
    const receiver = await startReceiver(test, (index, _received, response) => {
      response.writeHead(200).write('.');
      if (index === 0) response.on('close', () => closed.resolve(undefined));
      return undefined;
    });
    const sender = open({ timeoutMs: 600_000 });
    for (let round = 0; round <= 100; round++)
      assert.deepEqual(await send(sender, receiver.url), { isDelivered: true, responseStatus: 200 });
    // The oldest one.
    await closed.promise;
    assert.equal(receiver.open(), 100);
  });

  it('looks up two names at the same time, and the next one when a look-up ends', async () => {
    const lookups = new HeldLookups();
    const sender = open({ resolve: lookups.resolve });
    const sending = ['a', 'b', 'c', 'd'].map((name) => send(sender, `http://${name}.example/`));
    await nextTurn();
    assert.deepEqual(lookups.names, ['a.example', 'b.example']);
    for (const count of [3, 4, 4, 4]) {
      lookups.endFirst();
      await nextTurn();
      assert.equal(lookups.names.length, count);
    }
    const error = 'The request failed: there is no host with this name (ENOTFOUND)';
    assert.deepEqual(
      await Promise.all(sending),
      sending.map(() => ({ isDelivered: false, error })),
    );
  });

  it('counts a look-up until it ends, and makes none for a request that has timed out before', async (test) => {
    const lookups = new HeldLookups();
    const sender = open({ resolve: lookups.resolve, timeoutMs: 500 });
    const sending = ['a', 'b', 'c'].map((name) => send(sender, `http://${name}.example/`));
    const late = { isDelivered: false, error: 'No response within 0.5 seconds' };
    // Also if the machine is so busy that they have timed out by then: the third waits before the clock is set.
    await until(() => lookups.names.length === 2, 'two names are looked up');
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    assert.deepEqual(await Promise.all(sending), [late, late, late]);
    stopClock(test)(500);
    const last = send(sender, 'http://d.example/');
    await nextTurn();
    assert.deepEqual(lookups.names, ['a.example', 'b.example']);
    lookups.endFirst();
    await nextTurn();
    assert.deepEqual(lookups.names, ['a.example', 'b.example', 'd.example']);
    assert.deepEqual(await last, late);
  });

  it('ends at once if the service stops', async (test) => {
    const silent = await startReceiver(test, () => undefined);
    const stop = new AbortController();
    const sending = send(open(), silent.url, stop.signal);
    await silent.waitFor(1);
    stop.abort();
    await assert.rejects(sending, { name: 'AbortError' });
  });

  it('uses a connection again, also one that the receiver closes meanwhile', async (test) => {
    const ports = new Set<number | undefined>();
    const receiver = await startReceiver(test, (index, _received, response) => {
      const { socket } = response;
      ports.add(socket?.remotePort);
      if (index === 2) response.on('finish', () => setTimeout(() => socket?.destroy(), 1));
      return 204;
    });
    const sender = open();
    for (let round = 0; round < 5; round++) {
      assert.equal((await send(sender, receiver.url)).isDelivered, true);
      await sleep(5);
    }
    assert.equal(ports.size, 2);
  });

  it('tells what the receiver asked for, and never an address inside the network', async (test) => {
    const receiver = await startReceiver(test, (_index, _received, response) => {
      response.writeHead(503, { 'retry-after': '120' }).end();
      return undefined;
    });
    assert.equal((await send(open(), receiver.url)).retryAfterMs, 120_000);
    const { error } = await send(open(), 'http://127.0.0.1:1/');
    assert.equal(error, 'The request failed: nothing accepts connections at this address (ECONNREFUSED)');
  });
});
