/** Names of groups of changes, by which people can tell what was undone. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { findUndone, toGroup } from '../../src/client/make-group.ts';

it('toGroup() names what an undo undoes, within 64 characters, and never twice alike', () => {
  const nameOf = (undoes: string): string => toGroup({ action: 'undo', undoes });
  assert.equal(findUndone(nameOf('import-1')), 'import-1');
  assert.equal(findUndone(nameOf('x'.repeat(50))), 'x'.repeat(50));
  assert.match(nameOf('x'.repeat(51)), /^undo-[0-9a-f]{24}$/);
  assert.equal(findUndone(nameOf('x'.repeat(51))), undefined);
  assert.notEqual(nameOf('g'), nameOf('g'));
  assert.equal(toGroup({ action: 'undo', undoes: 'g', group: 'own' }), 'own');
  assert.match(toGroup({ action: 'restore', plants: [1n] }), /^restore-/);
});
