/** `plant-store watch` and `history` against the real service: tables, NDJSON, filters, exit codes and Ctrl-C. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { PlantClient } from '../../src/client/client.ts';
import { refusal, startScript, type Step } from '../client/scripted-server.ts';
import { makeFolder } from '../support/clean-up.ts';
import { findFreePort } from '../support/find-free-port.ts';
import { startService } from '../support/start-service.ts';
import { deadUrl, runCli, startCli, type Run, type World } from './run-cli.ts';
import { createToken, revokeToken } from '../support/tokens.ts';

const service = await startService({ after });
const env = { PLANT_STORE_URL: service.url, PLANT_STORE_TOKEN: service.token };
const client = new PlantClient({ url: service.url, token: service.token });
const run = (args: readonly string[], world: World = {}): Promise<Run> => runCli(args, env, undefined, world);
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;

const start = await client.latestPosition();
await client.put(7n, { name: 'Monstera' });
await client.put(7n, { name: 'Monstera deliciosa', tag: 'climber' });
await client.put(9223372036854775807n, { name: 'Aloe\u001b[2J', tag: '' });
await client.put(7n, { name: 'Monstera deliciosa' });
await client.delete(7n);
const last = await client.latestPosition();

describe('plant-store history', () => {
  it('shows a table on a terminal, newest first', async () => {
    const { code, stdout, stderr } = await run(['history', '7'], { columns: 100 });
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(
      stdout.replaceAll(time, '2026-01-01T00:00:00Z'),
      [
        'TIME                  CHANGE    NAME                           TAG        BY',
        '2026-01-01T00:00:00Z  deleted   Monstera deliciosa                        initial',
        '2026-01-01T00:00:00Z  replaced  Monstera deliciosa             climber →  initial',
        '2026-01-01T00:00:00Z  replaced  Monstera → Monstera deliciosa  → climber  initial',
        '2026-01-01T00:00:00Z  created   Monstera                                  initial',
        '',
      ].join('\n'),
    );
  });

  it('writes one JSON object a line elsewhere, and with --json', async () => {
    const { stdout } = await run(['history', '9223372036854775807']);
    const plant = '{"id":9223372036854775807,"name":"Aloe\\u001b[2J","tag":""}';
    assert.match(
      stdout,
      /^\{"position":"[^"]+","at":"[^"]+","kind":"created","id":9223372036854775807,"plant":.*\}\n$/,
    );
    assert.ok(stdout.includes(`"plant":${plant},"by":{`), stdout);
    assert.equal((await run(['history', '9223372036854775807', '--json'], { columns: 80 })).stdout, stdout);
  });

  it('stops at its limit, and fails for a plant that never was', async () => {
    const two = await run(['history', '7', '--limit', '2']);
    assert.equal(two.stdout.split('\n').length, 3);
    assert.equal(two.stderr, 'There are more changes: raise --limit.\n');
    assert.equal((await run(['history', '7', '--limit', '4'])).stderr, '');
    assert.deepEqual(await run(['history', '8']), {
      code: 1,
      stdout: '',
      stderr:
        'plant-store: Cannot show the history of plant 8: no plant has this id, and no change of one is kept (error 40402)\n',
    });
    assert.equal((await run(['history', '07'])).code, 2);
    assert.equal((await run(['history', '7', '--limit', '0'])).code, 2);
  });
});

describe('plant-store watch', () => {
  it('writes NDJSON in a pipe from now on, waits through a restart, and ends with 0 at Ctrl-C', async (t) => {
    const dataDir = await makeFolder(t);
    const options = { dataDir, env: { PORT: String(await findFreePort()) } };
    const first = await startService(t, options);
    const writer = new PlantClient({ url: first.url, token: first.token });
    await writer.put(1n, { name: 'before' });
    const watch = startCli(['watch'], { PLANT_STORE_URL: first.url, PLANT_STORE_TOKEN: first.token });
    await watch.said('Following changes after ');
    await writer.put(2n, { name: 'a' });
    await watch.printed('"id":2,');
    await first.stop();
    await watch.said('; reconnecting\n');
    await startService(t, options);
    await writer.put(3n, { name: 'a' });
    await watch.printed('"id":3,');
    watch.signal('SIGINT');
    const { code, stdout, stderr } = await watch.ended;
    assert.equal(code, 0, stderr);
    const changes = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number; position: string });
    assert.deepEqual(
      changes.map(({ id }) => id),
      [2, 3],
    );
    assert.ok(stderr.endsWith(`Stopped. To continue, add --after ${changes[1]?.position}\n`), stderr);
  });

  it('continues after what it has looked at, also when nothing matched', async (t) => {
    const page = (position: string): Step => ({
      status: 200,
      headers: { link: `</plants/changes?tag=rare&after=${position}>; rel="next"` },
      body: '[]',
    });
    const script = await startScript(t, [page('0a0b0c0d-1'), page('0a0b0c0d-9'), refusal(40101)]);
    const { code, stderr } = await run(['watch', '--tag', 'rare', '--url', script.url]);
    assert.equal(code, 1);
    assert.ok(stderr.includes('\nTo continue, add --after 0a0b0c0d-9\n'), stderr);
  });

  it('that reaches no service says neither that it reconnects nor that it follows', async () => {
    for (const after of [start, 'oldest', 'now']) {
      const { code, stdout, stderr } = await run(['watch', '--after', after, '--url', deadUrl]);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /^plant-store: Cannot reach the service: [^\n]*It may not be running: [^\n]*\n$/);
      assert.doesNotMatch(stderr, /reconnecting/);
    }
  });

  it('shows aligned rows on a terminal, which a narrow one cuts', async () => {
    const { code, stdout, stderr } = await run(['watch', '--after', start], { columns: 98, stopAt: 'deleted' });
    assert.equal(code, 0);
    assert.equal(
      stdout.replaceAll(time, '2026-01-01T00:00:00Z'),
      [
        'TIME                  CHANGE    ID      NAME                              TAG           BY',
        '2026-01-01T00:00:00Z  created   7       Monstera                                        initial',
        '2026-01-01T00:00:00Z  replaced  7       Monstera → Monstera deliciosa     → climber     initial',
        '2026-01-01T00:00:00Z  created   9223372036854775807  Aloe\\u{1b}[2J        ""            initial',
        '2026-01-01T00:00:00Z  replaced  7       Monstera deliciosa                climber →     initial',
        '2026-01-01T00:00:00Z  deleted   7       Monstera deliciosa                              initial',
        '',
      ].join('\n'),
    );
    assert.equal(stderr, `Following changes after ${start}.\nStopped. To continue, add --after ${last}\n`);
    const narrow = await run(['watch', '--after', start, '--id', '7'], { columns: 80, stopAt: 'deleted' });
    assert.match(narrow.stdout, /\n\S+ {2}replaced {2}7 {7}Monstera → Mo… {2}→ climber {5}initial\n/);
    assert.ok(narrow.stdout.split('\n').every((line) => line.length <= 80));
  });

  it('filters, and begins with the oldest change if asked to', async () => {
    const kindsOf = async (...args: string[]): Promise<(string | undefined)[]> => {
      const { stdout } = await run(['watch', '--after', 'oldest', ...args], { stopAt: '"kind":"deleted"' });
      return stdout.split('\n').map((line) => /"kind":"(\w+)"/.exec(line)?.[1]);
    };
    assert.deepEqual(await kindsOf('--id', '7'), ['created', 'replaced', 'replaced', 'deleted', undefined]);
    assert.equal((await kindsOf('--id', '7', '9223372036854775807')).length, 6);
    assert.deepEqual(await kindsOf('--kind', 'deleted'), ['deleted', undefined]);
    const { stdout, stderr } = await run(['watch', '--after', 'oldest', '--tag', ''], { stopAt: '922' });
    assert.match(stdout, /^\{[^\n]*"tag":""[^\n]*\n$/);
    assert.ok(stderr.startsWith('Following all changes that are kept.\n'), stderr);
  });

  it('says where to continue, too, when it ends by an error', async () => {
    const { id, token } = await createToken(service, ['plants:read']);
    const watch = startCli(['watch', '--after', start], { ...env, PLANT_STORE_TOKEN: token });
    await watch.printed('"kind":"deleted"');
    await revokeToken(service, id);
    const { code, stdout, stderr } = await watch.ended;
    assert.equal(code, 1, stderr);
    const { position } = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as { position: string };
    assert.match(stderr, new RegExp(`\nTo continue, add --after ${position}\nplant-store: .*40\\d+.*\\n$`));
  });

  it('fails for a position that is gone, and refuses what cannot be', async () => {
    const gone = await run(['watch', '--after', '00000000-1']);
    assert.equal(gone.code, 1);
    assert.match(
      gone.stderr,
      /: start again, without --after\nplant-store: .*Changes after this position are gone: .*\(error 41001\)\n$/,
    );
    assert.doesNotMatch(gone.stderr, /To continue/);
    assert.deepEqual(await run(['watch', '--after', 'yesterday']), {
      code: 2,
      stdout: '',
      stderr: 'plant-store: Cannot use --after "yesterday": must be now, oldest or a position, such as 6f1c09ad-41\n',
    });
    assert.equal((await run(['watch', '--kind', 'moved'])).code, 2);
    assert.equal((await run(['watch', '--id', '7.0'])).code, 2);
  });
});
