/** Skips a test that needs a tool or a right which this machine lacks, so that nobody takes it for a passed one. */
import type { TestContext } from 'node:test';

/** Set where every proof must run, as in `.ci/run`: what would be skipped fails instead. */
const requiredVariable = 'PLANT_STORE_TEST_REQUIRE_ALL';

/** @throws Error where every proof must run. */
export function skipLoudly(t: TestContext, reason: string): void {
  const line = `!!! DID NOT RUN: "${t.name}": ${reason} !!!`;
  if (process.env[requiredVariable] !== undefined) throw new Error(line);
  process.stderr.write(`${line}\n`);
  t.skip(line);
}
