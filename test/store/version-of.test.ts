/** versionOf(). Which versions a condition allows is tested in behaviour-plants.ts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Plant } from '../../src/domain/schemas.ts';
import { versionOf } from '../../src/store/version-of.ts';

describe('versionOf()', () => {
  it('never changes: clients store entity tags', () => {
    assert.equal(versionOf({ name: 'Monstera', tag: 'climber' }), '75LTCKruUxGwtu3TcTlTF-');
    assert.equal(versionOf({ name: 'Monstera' }), '3ofbh5AVqzd7V5P7R3eyCx');
    assert.equal(versionOf({ name: '', tag: '' }), 'bjQLnP-zepicpUTmu3gKLH');
  });

  it('differs for different plants, and depends on nothing else', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '=', '\u0001', '\u00e9', 'e\u0301'), maxLength: 3 });
    const plant = fc.record({ name: text, tag: text }, { requiredKeys: ['name'] });
    const property = fc.property(plant, plant, (one, other) => {
      const areEqual = one.name === other.name && one.tag === other.tag;
      assert.equal(versionOf(one) === versionOf(other), areEqual);
      assert.equal(versionOf({ ...one, id: 7n } as Plant), versionOf(one));
      assert.match(versionOf(one), /^[\w-]{22}$/);
    });
    fc.assert(property, { numRuns: 2000 });
  });
});
