/** The one parser of Retry-After, for the client and for webhooks. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseRetryAfter } from '../../src/domain/parse-retry-after.ts';

describe('parseRetryAfter()', () => {
  const now = Date.UTC(2026, 0, 1);
  for (const [field, expected] of [
    [null, undefined],
    ['', undefined],
    ['0', 0],
    ['120', 120],
    ['86400', 86_400],
    ['86401', 86_400],
    ['4294967295', 86_400],
    ['9'.repeat(400), 86_400],
    ['Thu, 01 Jan 2026 00:00:10 GMT', 10],
    ['Thursday, 01-Jan-26 00:00:10 GMT', 10],
    ['Thu Jan  1 00:00:10 2026', 10],
    ['Wed, 31 Dec 2025 23:59:59 GMT', 0],
    ['Thursday, 31-Dec-98 23:59:59 GMT', 0],
    ['Sat, 01 Jan 2028 00:00:00 GMT', 86_400],
    ['Mon, 31 Feb 2026 00:00:00 GMT', undefined],
    ['Thu, 01 Foo 2026 00:00:10 GMT', undefined],
    ['Thu, 01 Jan 2026 00:00:10', undefined],
    ['2026-01-02T00:00:00Z', undefined],
    ['40.5', undefined],
    ['-1', undefined],
    ['soon', undefined],
  ] as const) {
    it(`${field?.slice(0, 40) ?? 'nothing'} is ${expected ?? 'ignored'}`, () => {
      assert.equal(parseRetryAfter(field, now), expected);
    });
  }
});
