/**
 * The scenarios of http.deep.test.ts on a divided database: what reads or writes several buckets.
 */
import { declareScenarios } from './scenarios.ts';

await declareScenarios('postgres-citus', [
  'http/bulk-export.test.ts',
  'http/bulk-import.test.ts',
  'http/batch-plants.test.ts',
]);
