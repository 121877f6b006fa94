/** The log goes to a pipe or a terminal that nobody reads: requests are answered, and the service ends on SIGTERM. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { cleanUp, makeFolder } from '../support/clean-up.ts';
import { openTerminal, type Terminal } from '../support/open-terminal.ts';
import { live } from './bytes.ts';
import { Connection } from './connection.ts';

const mainPath = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
/** Requests whose lines are about 1 MB: more than the buffers of a pipe, a terminal and their reader take. */
const rounds = 80;
const perRound = 100;
/** Far longer than the flood and the end of the service take, in milliseconds; without it a service that hangs would hang the test. */
const timeout = 120_000;

/** Starts a service that logs to a terminal, or else a pipe. */
async function startService(context: TestContext, format: string, terminal?: Terminal) {
  const dataDir = await makeFolder(context);
  const child = spawn(process.execPath, [mainPath, 'serve', '--port', '0', '--data-dir', join(dataDir, 'data')], {
    env: { LOG_FORMAT: format, LOG_LEVEL: 'debug' },
    stdio: ['ignore', terminal?.fd ?? 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  cleanUp(context, async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const output = terminal?.output ?? child.stdout;
  assert.ok(output);
  return { child, exited, port: await readPort(output) };
}

/** Reads until the service is ready, then no more. */
function readPort(output: Readable): Promise<number> {
  return new Promise((resolve) => {
    let text = '';
    output.on('data', (bytes: Buffer) => {
      text += String(bytes);
      const port = /http:\/\/127\.0\.0\.1:(\d+)\D/.exec(text)?.[1];
      if (port === undefined) return;
      output.pause();
      resolve(Number(port));
    });
  });
}

async function flood(port: number): Promise<void> {
  const connection = await Connection.open({ url: '', port, basePath: '', token: '' });
  for (let round = 0; round < rounds; round++) {
    await connection.send(live.repeat(perRound));
    for (let index = 0; index < perRound; index++)
      assert.equal((await connection.answer('GET', '/livez'))?.status, 200);
  }
  connection.leave();
}

describe('a log that nobody reads', () => {
  for (const to of ['a pipe', 'a terminal'])
    for (const format of ['json', 'pretty'])
      it(`as ${format} on ${to}, stops neither requests nor SIGTERM`, { timeout }, async (context) => {
        const terminal = to === 'a terminal' ? await openTerminal(context) : undefined;
        if (to === 'a terminal' && terminal === undefined) return;
        const { child, exited, port } = await startService(context, format, terminal);
        await flood(port);
        child.kill('SIGTERM');
        assert.deepEqual(await exited, [0, null]);
      });
});
