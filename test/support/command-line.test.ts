/** A mistyped option must not end in a run that tries nothing and reports success. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const root = join(import.meta.dirname, '..', '..');

describe('the command lines of the long runs', () => {
  for (const [line, message] of [
    ['test/crash/crash.ts --rounds x --plants 10', /^--rounds must be a whole number from 1 on\n$/],
    ['test/crash/crash.ts --rounds 1 --plants 10 --seed ', /^--seed must be a whole number from 0 on\n$/],
    ['test/failover/failover.ts --weakness none', /^--weakness must be one of asynchronous, silent-replays\n$/],
    ['bench/bench.ts --turn 1', /^Unknown option '--turn'.*\n$/],
  ] as const)
    it(`refuse ${line}`, () => {
      const { status, stdout, stderr } = run(line.split(' '));
      assert.match(stderr, message);
      assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
    });

  it('show their options', () => {
    const { status, stdout, stderr } = run(['bench/bench.ts', '--help']);
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
    assert.match(stdout, /^Usage: npm run bench -- [^]* --help\n$/);
  });
});

function run(args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', timeout: 120_000 });
}
