/** LineWriter on a pipe, which takes a part of what is written to it, or nothing. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';

const module = new URL('../../src/observe/line-writer.ts', import.meta.url).href;

describe('LineWriter', () => {
  for (const [title, end] of [
    ['in the background', ''],
    ['at the end of the process', 'writer.flushSync();'],
  ])
    it(`writes all lines to a pipe that holds fewer, ${title}`, async () => {
      const program = `
        import { LineWriter } from '${module}';
        // As the service does: Node makes the pipe non-blocking.
        if (process.stdout.isTTY) throw new Error('not a pipe');
        const writer = new LineWriter(1);
        for (let line = 0; line < 40_000; line++) writer.write(\`\${String(line).padStart(49, '.')}\\n\`);
        ${end}
        if (${end === ''}) setInterval(() => {}, 1_000);`;
      const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (text.length === 2_000_000) child.kill();
      });
      await once(child, 'close');
      const expected = Array.from({ length: 40_000 }, (_, line) => `${String(line).padStart(49, '.')}\n`).join('');
      assert.ok(text === expected, `${text.length} of ${expected.length} characters`);
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

  it('writes the line of a crash to a pipe that is full', async () => {
    const program = `
      import { writeSync } from 'node:fs';
      import { LineWriter } from '${module}';
      if (process.stdout.isTTY) throw new Error('not a pipe');
      const writer = new LineWriter(1);
      try {
        for (;;) writeSync(1, '.'.repeat(1_023) + '\\n');
      } catch {
        writer.write('crashed\\n');
        writeSync(2, 'full');
        writer.flushSync();
        process.exit(1);
      }`;
    // Reads nothing before it is told to.
    const script = '"$0" --input-type=module --eval "$1" | { read -r _ <&3; cat; }';
    const child = spawn('sh', ['-c', `{ ${script}; } 3<&0`, process.execPath, program]);
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    await once(child.stderr, 'data');
    child.stdin.end('\n');
    await once(child, 'close');
    assert.match(text, /\ncrashed\n$/);
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
