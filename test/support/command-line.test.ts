/** A mistyped option must not end in a run that tries nothing and reports success. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const root = join(import.meta.dirname, '..', '..');
const [crash, failover, bench] = ['test/crash/crash.ts', 'test/failover/failover.ts', 'bench/bench.ts'] as const;

describe('the command lines of the long runs', () => {
  const refused: readonly (readonly [file: string, args: readonly string[], message: RegExp])[] = [
    [crash, ['--rounds', 'x', '--plants', '10'], /^--rounds must be a whole number from 1 on\n$/],
    [crash, ['--rounds', '0', '--plants', '10'], /^--rounds must be a whole number from 1 on\n$/],
    [crash, ['--rounds', '', '--plants', '10'], /^--rounds must be a whole number from 1 on\n$/],
    [crash, ['--rounds', '1', '--plants', '10', '--seed', 'x'], /^--seed must be a whole number from 0 on\n$/],
    [crash, ['--rounds', '1', '--plants', '10', '--store', 'mysql'], /^--store must be one of sqlite, postgres\n$/],
    [crash, ['--round', '1'], /^Unknown option '--round'.*\n$/],
    [failover, ['--faults', 'x'], /^--faults must be a whole number from 1 on\n$/],
    [failover, ['--seed', '-1'], /^Option '--seed' argument is ambiguous.*\n$/],
    [failover, ['--weakness', 'none'], /^--weakness must be one of asynchronous, silent-replays\n$/],
    [bench, ['--turns', '0'], /^--turns must be a whole number from 1 on\n$/],
    [bench, ['--turn', '1'], /^Unknown option '--turn'.*\n$/],
  ];
  for (const [file, args, message] of refused)
    it(`refuse ${file} ${args.join(' ')}`, () => {
      const { status, stdout, stderr } = run(file, args);
      assert.match(stderr, message);
      assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
    });

  for (const file of [crash, failover, bench])
    it(`show the options of ${file}`, () => {
      const { status, stdout, stderr } = run(file, ['--help']);
      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
      assert.match(stdout, /^Usage: npm run \w+ -- [^]* --help\n$/);
    });
});

function run(file: string, args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [file, ...args], { cwd: root, encoding: 'utf8', timeout: 120_000 });
}
