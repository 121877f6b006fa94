/** What Node warns of while a test runs, such as a timer whose delay is negative or too long. */
import type { TestContext } from 'node:test';

/** A warning is there one turn after its cause. */
export function recordWarnings(t: TestContext): readonly Error[] {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): unknown => warnings.push(warning);
  process.on('warning', onWarning);
  t.after(() => process.off('warning', onWarning));
  return warnings;
}
