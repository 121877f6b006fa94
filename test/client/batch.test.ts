/** Batches over connections that break: against a scripted server. What each action does is in test/http/batch-plants.test.ts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { usualChangedMax } from '../../src/bulk/batch-run.ts';
import type { BatchReport } from '../../src/client/client.ts';
import { membersOf } from '../../src/contract/description.ts';
import { toJson } from '../../src/json/to-json.ts';
import { contract } from '../support/read-contract.ts';
import { refusal, startScript } from './scripted-server.ts';

type Counts = Partial<Record<keyof BatchReport, unknown>>;

function toLine(counts: Counts): string {
  const report = { group: 'g', done: true, read: 0, changed: 0, unchanged: 0, refused: 0, errors: [], ...counts };
  return `${toJson(report)}\n`;
}

function answer(...lines: readonly Counts[]): { status: number; body: string } {
  return { status: 200, body: lines.map(toLine).join('') };
}

const schemas = membersOf(membersOf(contract.document['components'])['schemas']);
/** Ids of one request, as the description says. */
const idsMax = Number(membersOf(schemas['PlantIds'])['maxItems']);
const ids = Array.from({ length: idsMax + 1 }, (_, index) => BigInt(index));

describe('PlantClient batch()', () => {
  it('sends many ids in several requests of one group, and adds up', async (t) => {
    const errors = [{ id: 7n, error: 40402, message: 'No plant has this id' }];
    const { client, received } = await startScript(t, [
      answer({ done: false, read: 500, changed: 500 }, { read: 20_000, changed: 19_999, refused: 1, errors }),
      answer({ read: 1, unchanged: 1 }),
    ]);
    const seen: bigint[] = [];
    const report = await client.batch(
      { action: 'setTag', plants: ids, tag: 'x' },
      { onProgress: ({ read }) => seen.push(read) },
    );
    assert.deepEqual(
      { ...report, errors: report.errors.length },
      {
        ...{ group: 'g', done: true, read: 20_001n, changed: 19_999n, unchanged: 1n, refused: 1n, errors: 1 },
      },
    );
    assert.deepEqual(seen, [500n, 20_000n, 20_001n]);
    const sent = received.map(({ body }) => JSON.parse(body) as { group: string; plants: number[] });
    assert.deepEqual(
      sent.map(({ plants }) => plants.length),
      [idsMax, 1],
    );
    assert.match(sent[0]?.group ?? '', /^[0-9a-f]{24}$/);
    assert.equal(sent[0]?.group, sent[1]?.group);
    assert.ok(
      received.every(({ path, headers }) => path === '/plants/batch' && headers.accept === 'application/x-ndjson'),
    );
  });

  it('sends a request again, with the same group, after a refusal, a lost reply and one that is cut', async (t) => {
    const cutAfter = toLine({ done: false, read: 500, changed: 500 });
    const last = answer({ read: 1, unchanged: 1 });
    const { client, received } = await startScript(t, [refusal(50301), 'cut', { cutAfter }, last]);
    assert.equal((await client.batch({ action: 'delete', plants: { tag: 'x' } })).unchanged, 1n);
    assert.equal(new Set(received.map(({ body }) => body)).size, 1);
    assert.equal(received.length, 4);
  });

  it('takes no reply for the whole that has no last report', async (t) => {
    for (const body of ['', toLine({ done: false, changed: usualChangedMax - 1 }), 'a page of a proxy\n']) {
      const { client } = await startScript(t, [{ status: 200, body }]);
      await assert.rejects(client.batch({ action: 'undo', undoes: 'x' }), {
        name: 'ConnectionError',
        kind: 'response',
      });
    }
  });

  it('sends no more once the service has changed as much as it does for one request', async (t) => {
    const { client, received } = await startScript(t, [answer({ done: false, changed: usualChangedMax })]);
    assert.equal((await client.batch({ action: 'delete', plants: ids })).done, false);
    assert.equal(received.length, 1);
  });

  it('ends when it is aborted, or the batch is refused', async (t) => {
    const { client } = await startScript(t, [{ silentAfter: toLine({ done: false }) }, refusal(40020)]);
    const stop = new AbortController();
    const batch = { action: 'clearTag', plants: [1n] } as const;
    const options = { signal: stop.signal, onProgress: () => stop.abort(new Error('enough')) };
    await assert.rejects(client.batch(batch, options), { message: 'enough' });
    await assert.rejects(client.batch(batch), { number: 40020 });
    await assert.rejects(client.batch({ ...batch, plants: [1] as never }), TypeError);
  });
});
