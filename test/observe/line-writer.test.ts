/** LineWriter on a pipe, which takes a part of what is written to it, or nothing. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { LineWriter } from '../../src/observe/line-writer.ts';
import { makeFolder } from '../support/clean-up.ts';
import { stopClock } from '../support/stop-clock.ts';

const module = new URL('../../src/observe/line-writer.ts', import.meta.url).href;

const toLines = (count: number): string =>
  Array.from({ length: count }, (_, line) => `${String(line).padStart(49, '.')}\n`).join('');

/** What a pipe takes that nobody reads, on Linux. */
const pipeBytes = 65_536;

/** A pipe whose reader takes so many bytes each time that flushSync() waits, in a time that passes only then. */
async function openPipe(t: TestContext, takenBytes: (waits: number) => number) {
  const path = join(await makeFolder(t), 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  t.after(() => [reader, fd].forEach((each) => closeSync(each)));
  const buffer = Buffer.alloc(pipeBytes);
  let text = '';
  const read = (bytesMax: number): number => {
    const length = readSync(reader, buffer, 0, bytesMax, null);
    text += buffer.toString('utf8', 0, length);
    return length;
  };
  const pass = stopClock(t);
  let waits = 0;
  t.mock.method(Atomics, 'wait', (_array: unknown, _index: number, _value: number, ms: number) => {
    pass(ms);
    waits += 1;
    if (takenBytes(waits) > 0) read(takenBytes(waits));
  });
  const readAll = (): string => {
    // At its end, the pipe is empty, but open.
    assert.throws(() => {
      while (read(pipeBytes) > 0);
    }, /EAGAIN/);
    return text;
  };
  return { fd, pass, readAll };
}

/** Lets others run meanwhile. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), setImmediate(false)]);
}

describe('LineWriter', () => {
  it('writes all lines to a pipe that holds fewer, in the background', async () => {
    const program = `
      import { LineWriter } from '${module}';
      // Node makes the pipe non-blocking, as in the service.
      if (process.stdout.isTTY) throw new Error('not a pipe');
      const writer = new LineWriter(1);
      for (let line = 0; line < 40_000; line++) writer.write(\`\${String(line).padStart(49, '.')}\\n\`);
      setInterval(() => {}, 1_000);`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (text.length === 2_000_000) child.kill();
    });
    await once(child, 'close');
    assert.ok(text === toLines(40_000), `${text.length} characters`);
  });

  for (const [what, takenBytes] of [
    ['that is read', () => pipeBytes],
    ['whose reader takes little', () => 4_096],
  ] as const)
    it(`writes all lines at a crash to a full pipe ${what}`, async (t) => {
      const { fd, readAll } = await openPipe(t, takenBytes);
      const before = '.'.repeat(pipeBytes);
      assert.equal(writeSync(fd, before), pipeBytes);
      const writer = new LineWriter(fd);
      const lines = toLines(300_000);
      writer.write(lines);
      writer.flushSync();
      assert.ok(readAll() === before + lines);
    });

  for (const [what, takenBytes, arriving] of [
    ['takes nothing for a second', () => 0, pipeBytes],
    ['takes too little for five seconds', (waits: number) => (waits % 100 === 0 ? 4_096 : 0), pipeBytes + 50 * 4_096],
  ] as const)
    it(`gives up at a crash when the reader ${what}`, async (t) => {
      const { fd, readAll } = await openPipe(t, takenBytes);
      const writer = new LineWriter(fd);
      writer.write(toLines(300_000));
      writer.flushSync();
      assert.equal(readAll().length, arriving);
    });

  it('waits at the end of the process for a reader that is late', async (t) => {
    const { fd, readAll } = await openPipe(t, () => 0);
    const before = '.'.repeat(pipeBytes);
    assert.equal(writeSync(fd, before), pipeBytes);
    const writer = new LineWriter(fd);
    writer.write(toLines(10_000));
    const flushed = writer.flush();
    while (!(await isSettled(flushed))) readAll();
    assert.ok(readAll() === before + toLines(10_000));
  });

  it('gives up at the end of the process when the reader takes nothing for a second', async (t) => {
    const { fd, pass } = await openPipe(t, () => 0);
    writeSync(fd, '.'.repeat(pipeBytes));
    const writer = new LineWriter(fd);
    writer.write(toLines(10_000));
    const flushed = writer.flush();
    let passedMs = 0;
    for (; !(await isSettled(flushed)); passedMs += 1) pass(1);
    assert.ok(passedMs >= 1_000, `${passedMs} ms`);
  });

  it('drops what comes while 16 MiB are unread', async (t) => {
    const { fd, readAll } = await openPipe(t, () => pipeBytes);
    const writer = new LineWriter(fd);
    const block = 1_048_576;
    for (let blocks = 0; blocks < 17; blocks += 1) writer.write('.'.repeat(block));
    writer.flushSync();
    assert.equal(readAll().length, 16 * block);
  });

  it('keeps the order at the end of the process, also of what is under way', async () => {
    const program = `
      import { pbkdf2 } from 'node:crypto';
      import { LineWriter } from '${module}';
      // The threads that write are busy: the first line is under way when the second comes.
      for (let thread = 0; thread < 4; thread++) pbkdf2('a', 'b', 500_000, 64, 'sha512', () => {});
      const writer = new LineWriter(1);
      writer.write('first\\n');
      setImmediate(() => setImmediate(async () => {
        writer.write('second\\n');
        await writer.flush();
      }));`;
    const stdio = ['ignore', 'pipe', 'inherit'] as const;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: [...stdio] });
    const [text] = await Promise.all([child.stdout.setEncoding('utf8').toArray(), once(child, 'close')]);
    assert.equal(text.join(''), 'first\nsecond\n');
  });

  it('does not wait for the reader of a pipe that would make it wait', { timeout: 120_000 }, async (context) => {
    const program = `
      import { LineWriter } from '${module}';
      const writer = new LineWriter(1);
      writer.write('.'.repeat(1 << 20));
      writer.flushSync();`;
    // The reader ends after the writer.
    const script = '{ "$0" --input-type=module --eval "$1"; echo "$?" >&2; } | { read -r _ <&3; }';
    const child = spawn('sh', ['-c', `{ ${script}; } 3<&0`, process.execPath, program]);
    context.after(() => child.stdin.end('\n'));
    const [text] = (await once(child.stderr, 'data')) as [Buffer];
    assert.equal(String(text), '0\n');
  });
});
