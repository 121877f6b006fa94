/** `plant-store batch` against the real service: what each command sends, and what it reports where. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { startScript } from '../client/scripted-server.ts';
import { startService } from '../support/start-service.ts';
import { runCli, type Run, startCli } from './run-cli.ts';

const service = await startService({ after });

describe('plant-store batch', () => {
  const env = { PLANT_STORE_URL: service.url, PLANT_STORE_TOKEN: service.token };
  const run = (...args: string[]): Promise<Run> => runCli(args, env);
  const batch = (...args: string[]): Promise<Run> => run('batch', ...args);
  const list = async (): Promise<string> =>
    (await run('list')).stdout.replaceAll(/\{"id":(-?\d+),"name":"[^"]*"(?:,"tag":"([^"]*)")?\}\n/g, '$1=$2 ');

  it('tags, deletes, restores and undoes, by ids or a filter', async () => {
    for (const id of ['-7', '8', '9']) await run('put', id, '--name', `plant ${id}`, '--tag', 'a');
    assert.deepEqual(await batch('set-tag', '-7', '8', '77', '--to', 'b', '--group', 'first'), {
      code: 3,
      stdout: '2 plants changed, 0 unchanged, 1 refused\n',
      stderr: '77: No plant has this id (error 40402)\nTo undo: plant-store batch undo first\n',
    });
    assert.equal(await list(), '-7=b 8=b 9=a ');
    assert.equal((await batch('clear-tag', '--search', 'lant b', '--name', '8', '--yes')).code, 0);
    assert.equal(await list(), '-7=b 8= 9=a ');
    for (const command of ['list', 'export'])
      assert.equal((await run(command, '--untagged')).stdout, '{"id":8,"name":"plant 8"}\n', command);
    assert.equal((await batch('set-tag', '--untagged', '--to', 'c', '--yes')).code, 0);
    assert.equal(await list(), '-7=b 8=c 9=a ');
    assert.equal((await batch('clear-tag', '8')).code, 0);
    assert.equal(
      (await batch('delete', '--all', '--yes', '--group', 'gone')).stdout,
      '3 plants changed, 0 unchanged, 0 refused\n',
    );
    assert.equal((await batch('restore', '8')).stdout, '1 plant changed, 0 unchanged, 0 refused\n');
    assert.equal(await list(), '8= ');
    const { code, stdout, stderr } = await batch('undo', 'gone', '--json', '--group', 'back');
    assert.equal(stdout, '{"group":"back","done":true,"read":3,"changed":2,"unchanged":1,"refused":0,"errors":[]}\n');
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(await list(), '-7=b 8= 9=a ');
    assert.deepEqual(await batch('undo', 'nope'), {
      code: 1,
      stdout: '',
      stderr: 'plant-store: Nothing to undo: the change log has no changes of this group (error 40406)\n',
    });
  });

  it('says how many changes it could not undo', async (t) => {
    const counts = '"read":2,"changed":2,"unchanged":0,"refused":0,"expired":1200';
    const { url } = await startScript(t, [{ status: 200, body: `{"group":"g","done":true,${counts},"errors":[]}\n` }]);
    assert.deepEqual(await runCli(['batch', 'undo', 'import', '--group', 'g'], { ...env, PLANT_STORE_URL: url }), {
      code: 3,
      stdout: '2 plants changed, 0 unchanged, 0 refused\n',
      stderr:
        '1,200 changes not undone: the change log no longer has what the plants were before\n' +
        'To undo: plant-store batch undo g\n',
    });
  });

  it('says how to undo it if it is stopped, or if the service fails after it has begun', async (t) => {
    const report = '{"group":"g","done":false,"read":500,"changed":500,"unchanged":0,"refused":0,"errors":[]}\n';
    const args = ['batch', 'delete', '--tag', 'a', '--yes', '--group', 'g'];
    const silent = await startScript(t, [{ silentAfter: report }]);
    const cli = startCli(args, { ...env, PLANT_STORE_URL: silent.url });
    while (silent.received.length === 0) await setImmediate();
    cli.signal('SIGINT');
    const undo = 'To undo: plant-store batch undo g\n';
    const stopped = 'plant-store: Stopped. The service goes on with a batch that has begun.\n';
    assert.deepEqual(await cli.ended, { code: 130, stdout: '', stderr: stopped + undo });

    const failing = await startScript(t, [{ cutAfter: report }]);
    const { code, stderr } = await runCli(args, { ...env, PLANT_STORE_URL: failing.url });
    assert.equal(code, 1);
    assert.ok(stderr.startsWith(`To go on: add --group g to the same command\n${undo}plant-store: `), stderr);
  });

  it('asks before it changes what nobody has counted, or deletes', async () => {
    for (const args of [
      ['delete', '8'],
      ['delete', '--tag', 'a'],
      ['set-tag', '--all', '--to', 'x'],
    ]) {
      const { code, stderr } = await batch(...args);
      assert.deepEqual([code, /Cannot ask for confirmation.*\? Add --yes\n$/.test(stderr)], [2, true], stderr);
    }
  });

  it('refuses a command line that says too much or too little', async () => {
    for (const [line, message] of [
      ['delete', 'Give either ids, or at least one of --tag, --untagged, --name, --search and --all'],
      ['clear-tag 7 --tag a', 'Give either ids, or at least one of --tag, --untagged, --name, --search and --all'],
      ['set-tag 7', 'Cannot run the command: option --to is missing'],
      ['set-tag 7 --to a --group a.b', 'Cannot use --group: it must have 1 to 64 letters, digits, "_" and "-"'],
      ['delete 07', 'Cannot use ID "07": it'],
    ] as const) {
      const { code, stderr } = await batch(...line.split(' '));
      assert.equal(code, 2);
      assert.ok(stderr.startsWith(`plant-store: ${message}`), stderr);
    }
  });
});
