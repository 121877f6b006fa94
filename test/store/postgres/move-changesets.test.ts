/** moveChangesets() on a connection that the test plays: which changesets go to the log, and where. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Connection, Statement } from '../../../src/store/postgres/connect/connection.ts';
import { moveChangesets } from '../../../src/store/postgres/log/move-changesets.ts';
import { movedChangesetsMax } from '../../../src/store/postgres/log/change-rows.ts';

it('a changeset that is in the log is not moved again, even if it is not among those that are looked at', async () => {
  const seqs = Array.from({ length: movedChangesetsMax }, (_, index) => BigInt(index + 1));
  const sent = new Map<string, readonly unknown[]>();
  const rows: Readonly<Record<string, readonly unknown[]>> = {
    // The first of them was removed since.
    'lock-change-log': [[10n, ['0', '2', '9000']]],
    'list-changesets': seqs.map((seq) => [seq, 1, null]),
  };
  const connection = {
    run: ({ name }: Statement, values: readonly unknown[]) => {
      sent.set(name, values);
      return Promise.resolve({ rows: rows[name] ?? [] });
    },
  } as unknown as Connection;
  const { toResult } = await moveChangesets(connection, Promise.resolve({} as never));
  const moving = seqs.filter((seq) => seq !== 2n);
  assert.deepEqual(sent.get('move-changesets'), [moving, moving.map((_, index) => 10n + BigInt(index)), [], []]);
  const moved = [2n, 9000n, ...moving];
  assert.deepEqual(sent.get('save-change-log'), [10n + BigInt(moving.length), moved]);
  assert.deepEqual(toResult([]), { moved, movedUpTo: BigInt(movedChangesetsMax) });
});
