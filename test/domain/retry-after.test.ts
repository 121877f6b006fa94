/** What a Retry-After field asks for. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseRetryAfter } from '../../src/domain/retry-after.ts';

const now = Date.parse('2026-11-21T10:00:00Z');
const [minute, day] = [60_000, 86_400_000];

for (const [field, wanted] of [
  [null, undefined],
  [undefined, undefined],
  ['', undefined],
  ['120', 120_000],
  ['0', 0],
  ['4294967295', day],
  ['9'.repeat(400), day],
  ['40.5', undefined],
  ['-1', undefined],
  ['1e3', undefined],
  ['Sat, 21 Nov 2026 10:01:00 GMT', minute],
  ['Saturday, 21-Nov-26 10:01:00 GMT', minute],
  ['Sat Nov 21 10:01:00 2026', minute],
  ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
  ['Sat, 21 Nov 2099 09:00:00 GMT', day],
  ['Sat, 21 Xyz 2026 10:01:00 GMT', undefined],
  ['2026-11-21T10:01:00Z', undefined],
  ['21 November 2026', undefined],
  ['soon', undefined],
] as const)
  it(`Retry-After "${String(field).slice(0, 40)}" asks for ${wanted} ms`, () => {
    assert.equal(parseRetryAfter(field, now), wanted);
  });
