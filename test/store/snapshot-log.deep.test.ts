/** A snapshot blocks the write-ahead log up to a limit; then it is aborted, never looks complete, and writes continue. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { ServiceError } from '../../src/domain/errors.ts';
import { openStore } from '../../src/store/open-store.ts';
import { cleanUp, makeFolder } from '../support/clean-up.ts';

const logBytesMax = 64 * 1024 * 1024;
/** Long, so that each plant fills its own pages. */
const name = '🌱'.repeat(1000);

describe('a snapshot that is read more slowly than the store is written', () => {
  it('is aborted, and writes continue; a snapshot opened later is not', { timeout: 120_000 }, async (t) => {
    const folder = await makeFolder(t);
    const store = await openStore({ folder }, { limits: { writesMax: 10_000, bytesMax: logBytesMax } });
    cleanUp(t, () => store.close());
    const { plants } = store;
    const small = Array.from({ length: 5000 }, (_, index) => ({ id: BigInt(index), name: 'small' }));
    await plants.import(small, { onConflict: 'fail', dryRun: false });
    const snapshot = plants.snapshot({})[Symbol.asyncIterator]();
    let rows = ((await snapshot.next()).value as readonly unknown[]).length;

    let written = 5000;
    const write = async (): Promise<void> => {
      const large = Array.from({ length: 250 }, () => ({ id: BigInt(written++), name }));
      await plants.import(large, { onConflict: 'fail', dryRun: false });
    };
    const logBytes = (): number => statSync(join(folder, 'plants.db-wal')).size;
    // The log restarts once no reader blocks it: more is written than fits into it.
    while (written < 5000 + 20_000) {
      await write();
      assert.ok(logBytes() <= logBytesMax, `the log has ${logBytes()} bytes`);
    }
    const readOn = async (): Promise<void> => {
      for (let next = await snapshot.next(); next.done !== true; next = await snapshot.next())
        rows += next.value.length;
    };
    await assert.rejects(readOn(), ({ code, cause }: ServiceError) => {
      assert.equal(code, 'store_busy');
      return String(cause).includes('The snapshot was aborted');
    });
    assert.ok(rows < 5000, `${rows} rows came before`);

    await write();
    assert.equal(await plants.count(), written, 'no write was refused or lost');
    let again = 0;
    for await (const chunk of plants.snapshot({ name: 'SMALL' })) again += chunk.length;
    assert.equal(again, 5000, 'a later snapshot is complete');
  });

  it('ends with the store, and does not delay its close', { timeout: 120_000 }, async (t) => {
    const folder = await makeFolder(t);
    const store = await openStore({ folder }, { limits: { writesMax: 10_000, bytesMax: logBytesMax } });
    const rows = Array.from({ length: 5000 }, (_, index) => ({ id: BigInt(index), name: 'small' }));
    await store.plants.import(rows, { onConflict: 'fail', dryRun: false });
    const snapshot = store.plants.snapshot({})[Symbol.asyncIterator]();
    await snapshot.next();
    await store.close();
    const readOn = async (): Promise<void> => {
      while ((await snapshot.next()).done !== true);
    };
    await assert.rejects(readOn(), { code: 'shutting_down' });
    await assert.rejects(store.plants.snapshot({})[Symbol.asyncIterator]().next(), { code: 'shutting_down' });
  });
});
