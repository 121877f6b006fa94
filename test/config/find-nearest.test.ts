/** findNearest(): a typing error finds its word, another word finds none. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findNearest } from '../../src/config/find-nearest.ts';

describe('findNearest()', () => {
  const candidates = ['--port', '--host', '--data-dir', '--tls-key'];
  for (const [name, nearest] of [
    ['--port', '--port'],
    ['--prot', '--port'],
    ['--porrt', '--port'],
    ['--pot', '--port'],
    ['--part', '--port'],
    ['--dat-dri', '--data-dir'],
    ['port', '--port'],
    ['--', undefined],
    ['-x', undefined],
    ['--colour', undefined],
    [`--${'port'.repeat(100_000)}`, undefined],
  ] as const) {
    it(`finds ${nearest ?? 'nothing'} for ${name.slice(0, 20)}`, () => {
      assert.equal(findNearest(name, candidates, '--'), nearest);
    });
  }
});
