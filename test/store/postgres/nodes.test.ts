/** Settings of the nodes of Citus, which the session of the coordinator does not decide. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { findNodeProblem } from '../../../src/store/postgres/citus/nodes.ts';

it('a node is refused that would change or lose plants', () => {
  assert.equal(findNodeProblem(['on', 'on', 'on']), undefined);
  assert.equal(findNodeProblem(['on', 'remote_apply', 'on']), undefined);
  assert.match(
    findNodeProblem(['off', 'on', 'on']) ?? '',
    /^a node of Citus has array_nulls set to off; set it to on /,
  );
  assert.match(findNodeProblem(['on', 'local', 'on']) ?? '', /synchronous_commit set to local/);
  assert.match(findNodeProblem(['on', 'on', 'off']) ?? '', /fsync set to off/);
});
