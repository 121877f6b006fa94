/** The scenarios of HTTP whose outcome the store decides, on PostgreSQL. */
import { declareScenarios } from './scenarios.ts';

await declareScenarios('postgres', [
  'http/changes.test.ts',
  'http/plant-fields.test.ts',
  'http/idempotency.test.ts',
  'http/tokens.test.ts',
  'http/manage-tokens.test.ts',
  'http/bulk-export.test.ts',
  'http/bulk-import.test.ts',
  'http/batch-plants.test.ts',
]);
