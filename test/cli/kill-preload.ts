/**
 * Loaded with `--import` before the program: SIGKILL before the n-th step by which the program changes files.
 * A program that takes fewer steps ends by itself. Which program, and what must be left, is the test's matter.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

export const killVariable = 'KILL_AT_STEP';

type Step = (...args: unknown[]) => unknown;

const steps = ['renameSync', 'copyFileSync', 'linkSync', 'fsyncSync', 'chmodSync', 'rmSync'] as const;
const spec = process.env[killVariable];
if (spec !== undefined) killAt(Number(spec));

function killAt(wanted: number): void {
  const table = fs as unknown as Record<string, Step>;
  let count = 0;
  for (const name of steps) {
    const step = table[name];
    if (step === undefined) throw new Error(`There is no ${name}`);
    table[name] = (...args) => {
      count += 1;
      if (count === wanted) process.kill(process.pid, 'SIGKILL');
      return step(...args);
    };
  }
  syncBuiltinESMExports();
}
