/** `plant-store webhook listen` with a real service and a receiver that checks each request against the description. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startSandbox } from '../../src/cli/serve/start-sandbox.ts';
import { PlantClient } from '../../src/client/client.ts';
import { makeFolder } from '../support/clean-up.ts';
import { startService } from '../support/start-service.ts';
import { createToken } from '../support/tokens.ts';
import { startReceiver, verify } from '../webhooks/receiver.ts';
import { deadUrl, runCli, startCli, type Run, type World } from './run-cli.ts';

const service = await startService({ after });
const client = new PlantClient({ url: service.url, token: service.token });
// The command needs only this scope.
const { token } = await createToken(service, ['plants:read']);
const env = { PLANT_STORE_URL: service.url, PLANT_STORE_TOKEN: token };

const start = await client.latestPosition();
await client.put(9223372036854775807n, { name: 'Monstera' });
await client.put(9223372036854775807n, { name: 'Monstera', tag: 'climber' });
await client.delete(9223372036854775807n);

const listen = (args: readonly string[], world: World = {}): Promise<Run> =>
  runCli(['webhook', 'listen', ...args], env, undefined, world);

describe('plant-store webhook listen', () => {
  it('sends each change once, signed with the secret that it shows', async (t) => {
    const receiver = await startReceiver(t);
    const { code, stdout, stderr } = await listen(['--forward', receiver.url, '--after', start], {
      stopAt: 'plant.deleted',
    });
    assert.equal(code, 0, stderr);
    const secret = /^Secret, shown only once: (whsec_\S+)\n/.exec(stderr)?.[1] ?? '';
    assert.deepEqual(
      receiver.requests.map(({ body }) => /"type":"([^"]+)"/.exec(body)?.[1] ?? body),
      ['{"id":9223372036854775807,"name":"Monstera"}', 'plant.replaced', 'plant.deleted'],
    );
    for (const request of receiver.requests) verify(secret, request);
    assert.throws(() => verify('whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD', receiver.requests[0] ?? assert.fail()));
    const [first = ''] = stdout.split('\n');
    assert.equal(
      first.replace(/"position":"[^"]+"/, '"position":""'),
      `{"id":"${receiver.requests[0]?.id}","event":"plant.created","plant":9223372036854775807,"position":"","attempts":1,"responseStatus":204}`,
    );
  });

  it('delivers what happens in a space of a sandbox, which itself sends nothing', async (t) => {
    await using sandbox = await startSandbox();
    const [url, token] = [sandbox.url, sandbox.token()];
    const receiver = await startReceiver(t);
    const flags = ['--forward', receiver.url, '--url', url];
    const cli = startCli(['webhook', 'listen', ...flags], { PLANT_STORE_TOKEN: token });
    await cli.said('changes after ');
    await new PlantClient({ url, token: sandbox.token('another') }).put(9n, { name: 'of another space' });
    await new PlantClient({ url, token }).put(7n, { name: 'Monstera deliciosa' });
    await receiver.waitFor(1);
    cli.signal('SIGINT');
    const { stderr } = await cli.ended;
    const [request = assert.fail()] = receiver.requests;
    verify(/(whsec_\S+)/.exec(stderr)?.[1] ?? '', request);
    assert.match(request.body, /"type":"plant.replaced".*"name":"Monstera deliciosa"/);
  });

  it('says which tokens a sandbox takes, and where the refused one comes from', async () => {
    await using sandbox = await startSandbox();
    const flags = ['--forward', 'http://localhost:4000/hook', '--url', sandbox.url];
    const { code, stderr } = await runCli(['webhook', 'listen', ...flags], { PLANT_STORE_TOKEN: token });
    assert.equal(code, 1);
    assert.equal(
      stderr,
      `plant-store: The token is not valid. A sandbox takes sandbox-NAME, where NAME has 8 to 64 letters, digits, dots, underscores or hyphens, and does not begin with read-. The address is ${sandbox.url}; the token comes from the variable PLANT_STORE_TOKEN (error 40102)\n`,
    );
  });

  it('retries a few times with the same id, then goes on', async (t) => {
    const receiver = await startReceiver(t, (index) => (index < 5 ? 500 : 204));
    const { stdout } = await listen(['--forward', receiver.url, '--after', start], {
      columns: 120,
      stopAt: 'plant.deleted',
    });
    const ids = receiver.requests.map(({ id }) => id);
    assert.deepEqual([ids.length, new Set(ids.slice(0, 4)).size, new Set(ids.slice(4, 6)).size], [7, 1, 1]);
    const rows = stdout.split('\n').map((line) => line.trim().split(/ {2,}/).slice(1));
    assert.deepEqual(rows.slice(0, 4), [
      ['EVENT', 'ID', 'ATTEMPTS', 'RESULT'],
      ['plant.created', '9223372036854775807', '4', 'The response has status 500'],
      ['plant.replaced', '9223372036854775807', '2', '204'],
      ['plant.deleted', '9223372036854775807', '1', '204'],
    ]);
  });

  it('sends only the events that are wanted, from now on, and ends with 0 at Ctrl-C in the middle', async (t) => {
    const receiver = await startReceiver(t, () => undefined);
    const flags = ['--forward', receiver.url, '--events', 'plant.replaced', 'plant.deleted'];
    const cli = startCli(['webhook', 'listen', ...flags], env);
    await cli.said('changes after ');
    await client.put(1n, { name: 'a' });
    const before = await client.latestPosition();
    await client.put(1n, { name: 'b' });
    await receiver.waitFor(1);
    cli.signal('SIGINT');
    const { code, stdout, stderr } = await cli.ended;
    assert.deepEqual([code, stdout], [0, '']);
    assert.ok(stderr.endsWith(`Stopped. To continue, add --after ${before}\n`), stderr);
    assert.match(receiver.requests[0]?.body ?? '', /"type":"plant.replaced"/);
  });

  it('shows no secret if there is no token or no service', async (t) => {
    const args = ['webhook', 'listen', '--forward', 'http://127.0.0.1:4000/hook', '--after', start];
    for (const world of [
      { ...env, PLANT_STORE_TOKEN: '' },
      { ...env, PLANT_STORE_URL: deadUrl },
    ]) {
      const { code, stderr } = await runCli(args, world, await makeFolder(t));
      assert.notEqual(code, 0);
      assert.doesNotMatch(stderr, /Secret/);
    }
  });

  it('refuses an address that is none', async () => {
    for (const address of ['localhost:4000', 'ftp://localhost/', 'http://a@localhost/'])
      assert.equal((await listen(['--forward', address])).code, 2, address);
    const { stderr } = await listen(['--forward', '/hook']);
    assert.equal(
      stderr,
      'plant-store: Cannot use --forward: it must begin with https:// or http://, such as https://shop.example/hooks\n',
    );
    assert.equal((await listen([])).code, 2);
  });
});
