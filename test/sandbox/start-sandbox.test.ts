/** A sandbox in the process of its caller: names, reset, and what is left of it; how a program learns the address of a demo. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startSandbox } from '../../src/cli/serve/start-sandbox.ts';
import { runCli } from '../cli/run-cli.ts';

it('startSandbox() serves plants for each name, begins again, and leaves nothing', async () => {
  const before = process.getActiveResourcesInfo().length;
  const sandbox = await startSandbox();
  const put = async (token: string, name: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', connection: 'close' };
    return (await fetch(`${sandbox.url}/plants/7`, { method: 'PUT', headers, body: JSON.stringify({ name }) })).status;
  };
  const read = async (token: string): Promise<string> => {
    const response = await fetch(`${sandbox.url}/plants/7`, { headers: { authorization: `Bearer ${token}` } });
    return ((await response.json()) as { name: string }).name;
  };
  // @ts-expect-error It takes no options.
  await assert.rejects(startSandbox({ port: 3000 }), TypeError);
  assert.equal(sandbox.token(), sandbox.token());
  assert.throws(() => sandbox.token('a b'), RangeError);
  // @ts-expect-error A name is a text.
  assert.throws(() => sandbox.token(7), TypeError);
  assert.throws(() => sandbox.token('a'.repeat(51)), RangeError);
  const [mine, other] = [sandbox.token(), sandbox.token('b'.repeat(50))];
  assert.equal(await put(mine, 'mine'), 200);
  assert.deepEqual([await read(mine), await read(other)], ['mine', 'Monstera']);
  sandbox.reset();
  assert.equal(await read(mine), 'Monstera');
  {
    await using second = await startSandbox();
    assert.notEqual(second.url, sandbox.url);
  }
  await sandbox.close();
  await sandbox.close();
  assert.throws(() => sandbox.reset(), /closed/);
  await assert.rejects(read(mine));
  while (process.getActiveResourcesInfo().length > before) await new Promise(setImmediate);
});

it('plant-store demo --json writes its address and a token first, as one line of JSON', async () => {
  const { code, stdout } = await runCli(['demo', '--port', '0', '--json'], {}, undefined, { stopAt: '\n' });
  assert.equal(code, 0);
  assert.match(stdout, /^\{"url":"http:\/\/127\.0\.0\.1:\d+","token":"sandbox-[0-9a-f]{16}"\}\n$/);
});
