/** `serve` at a terminal: what a person sees after the start, with and without colors. In a pipe it is the log alone. */
import assert from 'node:assert/strict';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { makeFolder } from '../support/clean-up.ts';
import { runCli, runHere } from './run-cli.ts';
import { until } from '../support/until.ts';

interface Shown {
  /** What was written to the descriptor. */
  readonly log: string;
  /** What was written to the stream. */
  readonly text: string;
}

/** Serves in this process until it is ready, then stops it. */
async function serve(
  t: TestContext,
  env: Record<string, string>,
  { isTTY = true, folder }: { readonly isTTY?: boolean; readonly folder?: string } = {},
): Promise<Shown & { folder: string }> {
  folder ??= await makeFolder(t);
  const dataDir = join(folder, 'data');
  const logPath = join(folder, 'log');
  // Stays open: the log writes asynchronously until the process ends.
  const fd = openSync(logPath, 'w');
  let text = '';
  const stopped = Promise.withResolvers<'SIGTERM'>();
  const output = { fd, isTTY, columns: isTTY ? 80 : undefined, writeAll: () => Promise.resolve(true) };
  const stdout = { ...output, write: (each: string) => void (text += each) };
  const ended = runHere(['serve', '--port', '0', ...('DATABASE_URL' in env ? [] : ['--data-dir', dataDir])], {
    stdout,
    stderr: stdout,
    env,
    cwd: folder,
    onStopSignal: (listener) => void stopped.promise.then(listener),
  });
  await until(() => readFileSync(logPath, 'utf8').includes('Ready'), 'it is ready');
  stopped.resolve('SIGTERM');
  assert.equal(await ended, 0, text);
  return { log: readFileSync(logPath, 'utf8'), text, folder };
}

describe('plant-store serve', { timeout: 120_000 }, () => {
  it('at a terminal names console, docs, token file and how to stop', async (t) => {
    const { text, log, folder } = await serve(t, {});
    const url = /url (http:\/\/127\.0\.0\.1:\d+)/.exec(log)?.[1] ?? 'no address';
    const welcome = [
      '',
      `  Console  ${url}/console`,
      `  Docs     ${url}/docs`,
      `  Token    ${join(folder, 'data', 'initial-token')}`,
      '  Stop     Ctrl-C',
      '',
      '',
    ].join('\n');
    assert.match(log.slice(0, log.indexOf(welcome)), /Ready[^\n]*\n$/, log);
    // The stream would wait for a terminal that is stopped.
    assert.equal(text, '');
    assert.match(log, /\u001b\[/, 'with colors');
  });

  it('at a terminal names no token file whose token is revoked', async (t) => {
    const { folder } = await serve(t, {});
    const place = ['--data-dir', join(folder, 'data')];
    const { stdout } = await runCli(['token', 'list', '--json', ...place]);
    const [{ id = '' } = {}] = JSON.parse(stdout) as readonly { readonly id?: string }[];
    assert.equal((await runCli(['token', 'revoke', id, ...place])).code, 0);
    const { log } = await serve(t, {}, { folder });
    assert.match(log, /\n  Token    create one with "plant-store token create"\n/);
  });

  it('heeds NO_COLOR', async (t) => {
    const { text, log } = await serve(t, { NO_COLOR: '1' });
    assert.doesNotMatch(text + log, /\u001b/);
    assert.match(log, /INFO: Ready/);
  });

  it('says nothing but JSON elsewhere', async (t) => {
    const { text, log } = await serve(t, {}, { isTTY: false });
    assert.equal(text, '');
    for (const line of log.trimEnd().split('\n')) assert.equal(typeof JSON.parse(line), 'object');
    assert.doesNotMatch(log, /"database"/);
  });

  it('says with "Ready" that the database cannot be used yet', async (t) => {
    const { log } = await serve(t, { DATABASE_URL: 'postgres://plants@127.0.0.1:1/plants' }, { isTTY: false });
    const ready = log.split('\n').find((line) => line.includes('"Ready"')) ?? '';
    assert.match(ready, /"database":"cannot be used yet: requests get 503 until it can"/);
  });
});
