/** Declares test files of other levels once more, with services on a database. See support/store-under-test.ts. */
import { join } from 'node:path';

/** What is random has run on a data folder, too. */
const fewerRuns = { PROPERTY_RUNS: '100' };

/** @param files in `test/`. The process must be used for nothing else. */
export async function declareScenarios(store: string, files: readonly string[]): Promise<void> {
  Object.assign(process.env, { ...fewerRuns, ...process.env, TEST_STORE: store });
  for (const file of files) await import(join(import.meta.dirname, '..', '..', file));
}
