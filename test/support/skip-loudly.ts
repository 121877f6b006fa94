/** Skips a test that needs a tool or permission this machine lacks, with a visible notice. */
import type { TestContext } from 'node:test';

/** Set where every test must run, as in `.ci/run`: fails instead of skipping. */
const requiredVariable = 'TEST_REQUIRE_ALL';

/** @throws Error if every test must run. */
export function skipLoudly(t: TestContext, reason: string): void {
  const line = `!!! DID NOT RUN: "${t.name}": ${reason} !!!`;
  if (process.env[requiredVariable] !== undefined) throw new Error(line);
  process.stderr.write(`${line}\n`);
  t.skip(line);
}
