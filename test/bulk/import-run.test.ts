/** Flow control of an import: backpressure, and its progress when it ends early. Uses doubles for a stuck store. */
import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { type ImportSource, runImport } from '../../src/bulk/import-run.ts';
import { RunningGroups } from '../../src/bulk/running-groups.ts';
import { type ErrorCode, ServiceError } from '../../src/domain/errors.ts';
import type { PlantStore, RowOutcome, Store } from '../../src/domain/store.ts';
import { Semaphore } from '../../src/limits/semaphore.ts';

/** Imports rows that are ids. */
function importAll(
  chunks: ImportSource['chunks'],
  store: Store,
  mayBeGone = new AbortController().signal,
  places = new Semaphore(2),
): Promise<string> {
  let line = 0;
  const reader: ImportSource['reader'] = {
    *read(bytes) {
      for (const id of Buffer.from(bytes).toString().trimEnd().split('\n'))
        yield { line: ++line, content: { id: BigInt(id), name: '' } };
    },
    end: () => [],
  };
  return runImport({ chunks, reader }, store, {
    rules: { onConflict: 'fail', dryRun: false },
    principal: { tokenId: 'abcdefghijkl', limitKey: 'abcdefghijkl' },
    groups: new RunningGroups(),
    places,
    isAllowed: () => Promise.resolve(true),
    shutdown: new AbortController().signal,
    mayBeGone,
  });
}

/** Returns a store that supports only import. */
function storeOf(importRows: PlantStore['import'], bulkRows = () => 500): Store {
  return { plants: { import: importRows, bulkRows } } as unknown as Store;
}

const created = (rows: readonly unknown[]): RowOutcome[] => rows.map(() => 'created');

describe('runImport', () => {
  it('stops reading while two chunks wait for the store', async () => {
    let read = 0;
    const chunks = (async function* () {
      for (; read < 10_000; read++) yield Promise.resolve(Buffer.from('1\n'.repeat(100)));
    })();
    const stuck = Promise.withResolvers<readonly RowOutcome[]>();
    let waiting = 0;
    const store = storeOf((rows) => {
      waiting += 1;
      return waiting === 1 ? stuck.promise : Promise.resolve(created(rows));
    });
    const answer = importAll(chunks, store);
    for (let turn = 0; turn < 1_000; turn++) await setImmediate();
    assert.equal(waiting, 1);
    assert.ok(read >= 9 && read <= 10, `${read} chunks of 100 rows were read`);
    stuck.resolve(Array.from({ length: 500 }, () => 'created'));
    assert.match(await answer, /^\{"read":1000000,"created":1000000,/);
  });

  it('has its place until it ends', async () => {
    const stuck = Promise.withResolvers<readonly RowOutcome[]>();
    let writes = 0;
    const store = storeOf((rows) => (++writes === 1 ? stuck.promise : Promise.resolve(created(rows))));
    const places = new Semaphore(1, { ofOneMax: 1 });
    const send = (): Promise<string> =>
      importAll(
        (async function* () {
          yield Promise.resolve(Buffer.from('1\n'));
        })(),
        store,
        undefined,
        places,
      );
    const first = send();
    await assert.rejects(send(), { code: 'store_busy' });
    stuck.resolve(['created']);
    await first;
    await send();
    places.require('abcdefghijkl');
  });

  it('stores fewer rows at once where they are long', async () => {
    const chunks = (async function* () {
      for (let id = 0; id < 9; id += 1) yield Promise.resolve(Buffer.from(`${id}`.padStart(65_536, '0')));
    })();
    const sizes: number[] = [];
    const store = storeOf((rows) => {
      sizes.push(rows.length);
      return Promise.resolve(created(rows));
    });
    await importAll(chunks, store);
    assert.deepEqual(sizes, [4, 4, 1]);
  });

  it('ends with what the store refuses, while no more rows come', async () => {
    const silence = Promise.withResolvers<Buffer>();
    const chunks = (async function* () {
      yield Promise.resolve(Buffer.from('1\n'.repeat(500)));
      yield silence.promise;
    })();
    const store = storeOf(() => Promise.reject(new ServiceError('shutting_down')));
    await assert.rejects(importAll(chunks, store), { code: 'shutting_down' });
    silence.resolve(Buffer.from('1\n'));
  });

  it('retries while the store is busy, in order', async () => {
    const stored: bigint[] = [];
    let tries = 0;
    const store = storeOf(async (rows) => {
      tries += 1;
      await setImmediate();
      if (tries % 3 !== 0) throw new ServiceError('store_busy');
      stored.push(...rows.map(({ id }) => id));
      return created(rows);
    });
    const ids = Array.from({ length: 2_000 }, (_, index) => BigInt(index));
    const chunks = (async function* () {
      yield await Promise.resolve(Buffer.from(ids.map((id) => `${id}\n`).join('')));
    })();
    await importAll(chunks, store);
    assert.deepEqual(stored, ids);
    assert.equal(tries, 12);
  });

  it('stores as many rows at once as the store wants at the moment', async () => {
    const sizes: number[] = [];
    let bulkRows = 64;
    const chunks = (async function* () {
      yield await Promise.resolve(Buffer.from('1\n'.repeat(94)));
      bulkRows = 20;
      yield await Promise.resolve(Buffer.from('1\n'.repeat(30)));
    })();
    const store = storeOf(
      (rows) => {
        sizes.push(rows.length);
        return Promise.resolve(created(rows));
      },
      () => bulkRows,
    );
    await importAll(chunks, store);
    assert.deepEqual(sizes, [64, 31, 20, 9]);
  });

  it('does not wait for a busy store once its client may have gone', async () => {
    const half = Promise.withResolvers<undefined>();
    let tries = 0;
    const store = storeOf(() => {
      tries += 1;
      half.resolve(undefined);
      return Promise.reject(new ServiceError('store_busy'));
    });
    const chunks = (async function* () {
      yield await Promise.resolve(Buffer.from('1\n'));
    })();
    const mayBeGone = new AbortController();
    void half.promise.then(() => mayBeGone.abort());
    await assert.rejects(importAll(chunks, store, mayBeGone.signal), { code: 'store_busy' });
    assert.ok(tries <= 2, `${tries} tries`);
  });

  const ends: readonly (readonly [code: ErrorCode, chunksBefore: number, detail: RegExp])[] = [
    ['store_full', 0, /\. No row was stored; sending the import again finishes it$/],
    ['store_failed', 0, /\. The first rows may be stored; sending the import again finishes it$/],
    ['store_full', 2, /\. The rows up to line 1000 of this request are done; sending the import again finishes it$/],
    [
      'store_unavailable',
      2,
      /^The database cannot be reached now\. The rows up to line 1000 of this request are done; sending/,
    ],
    ['store_failed', 1, /\. The rows up to line 500 of this request are done; sending the import again finishes it$/],
    ['internal', 1, /\. The rows up to line 500 of this request are done$/],
  ];
  for (const [code, chunksBefore, detail] of ends) {
    it(`reports its progress when the store throws ${code} after ${chunksBefore} chunks`, async () => {
      let storedChunks = 0;
      const store = storeOf(async (rows) => {
        await setImmediate();
        if (storedChunks++ === chunksBefore) throw new ServiceError(code);
        return created(rows);
      });
      let isFreed = false;
      const chunks = (async function* () {
        try {
          for (;;) yield await Promise.resolve(Buffer.from('7\n'.repeat(300)));
        } finally {
          isFreed = true;
        }
      })();
      await assert.rejects(importAll(chunks, store), (error) => {
        assert.ok(error instanceof ServiceError);
        assert.equal(error.code, code);
        assert.match(error.message, detail);
        return true;
      });
      assert.ok(isFreed);
      assert.equal(storedChunks, chunksBefore + 1);
    });
  }
});
