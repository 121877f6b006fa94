/** openLog(): format, levels, redaction, and that nothing is lost on exit. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { openLog } from '../../src/observe/log.ts';
import type { LogOptions } from '../../src/observe/log.ts';
import { makeFolder } from '../support/clean-up.ts';

async function openTestLog(options: Partial<LogOptions> = {}, isTTY = false) {
  const lines: string[] = [];
  const destination = { isTTY, write: (text: string) => lines.push(text) };
  return { lines, log: await openLog({ level: 'info', format: 'auto', destination, ...options }) };
}

function toMembers(line: string | undefined): Record<string, unknown> {
  return JSON.parse(line ?? '') as Record<string, unknown>;
}

const folder = await makeFolder({ after });

describe('openLog()', () => {
  it('writes one JSON object per line, with level and time as text', async () => {
    const { lines, log } = await openTestLog();
    log.info({ address: 'http://127.0.0.1:3000' }, 'ready\nnow');
    const { time, ...members } = toMembers(lines[0]);
    assert.deepEqual(members, { level: 'info', address: 'http://127.0.0.1:3000', msg: 'ready\nnow' });
    assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.match(lines.join(''), /^[^\n]+\n$/);
  });

  it('omits events below its level', async () => {
    const { lines, log } = await openTestLog({ level: 'warn' });
    log.info('no');
    log.warn('yes');
    assert.deepEqual(
      lines.map((line) => toMembers(line)['msg']),
      ['yes'],
    );
    assert.deepEqual([log.isLevelEnabled('info'), log.isLevelEnabled('error')], [false, true]);
    const silent = await openTestLog({ level: 'silent' });
    silent.log.fatal('no');
    assert.deepEqual(silent.lines, []);
  });

  it('is pretty on a terminal or when asked, and has colors only if asked', async () => {
    for (const [format, isTTY, pretty, hasColors] of [
      ['auto', false, false, true],
      ['auto', true, true, true],
      ['auto', true, true, false],
      ['json', true, false, true],
      ['pretty', false, true, false],
    ] as const) {
      const { lines, log } = await openTestLog({ format, hasColors }, isTTY);
      log.info('ready');
      const text = lines.join('');
      assert.match(text, /ready/);
      assert.equal(!text.startsWith('{'), pretty, `${format} ${isTTY}`);
      assert.equal(text.includes('\u001b['), pretty && hasColors, `${format} ${isTTY}`);
    }
  });

  it('removes authorization members, also nested ones', async () => {
    for (const format of ['json', 'pretty'] as const) {
      const { lines, log } = await openTestLog({ format });
      log.info(
        { authorization: 'canary', request: { headers: { authorization: 'canary', Authorization: 'canary' } } },
        'a',
      );
      log.info({ headers: { authorization: 'canary' } }, 'b');
      const text = lines.join('');
      assert.doesNotMatch(text, /canary/);
      assert.equal(text.match(/\[removed\]/g)?.length, 4);
    }
  });

  it('writes an error with its causes', async () => {
    const { lines, log } = await openTestLog();
    log.error({ error: new Error('outer', { cause: new Error('inner') }) }, 'failed');
    const { error } = toMembers(lines[0]) as { error: { message: string; stack: string } };
    assert.match(error.message, /outer.*inner/);
    assert.match(error.stack, /outer[\s\S]*inner/);
  });

  for (const format of ['json', 'pretty'] as const) {
    it(`has written every line once flushSync() returns: ${format}`, async () => {
      const path = join(folder, format);
      // Left open: late lines, as when this test fails, still need it.
      const fd = openSync(path, 'w');
      const log = await openLog({
        level: 'info',
        format,
        destination: { fd, write: () => assert.fail('not by way of the stream') },
      });
      for (let i = 0; i < 1000; i += 1) log.info(`line ${i}.`);
      log.flushSync();
      const text = readFileSync(path, 'utf8');
      assert.equal(text.match(/line \d+\./g)?.length, 1000);
    });
  }

  it('stops nothing if it cannot be written', () => {
    const program = `
      import { openLog } from ${JSON.stringify(new URL('../../src/observe/log.ts', import.meta.url))};
      const log = await openLog({ level: 'info', format: 'json', destination: { fd: 1 } });
      log.info('one');
      process.once('beforeExit', () => {
        for (let i = 0; i < 3; i += 1) log.info('more');
        log.fatal('the last');
      });`;
    const stdio = ['ignore', openSync('/dev/full', 'w'), 'inherit'] as const;
    const args = ['--input-type=module', '--eval', program];
    const { status, signal } = spawnSync(process.execPath, args, { stdio: [...stdio], timeout: 120_000 });
    assert.deepEqual([status, signal], [0, null]);
  });
});
