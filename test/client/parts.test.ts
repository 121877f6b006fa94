/**
 * cutIntoParts(): whatever the source and its chunks, the parts hold the same rows in the same order, and lines can be told.
 * Where a row ends is tested in test/rows.
 */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { cutIntoParts, type ImportSource, type Part } from '../../src/client/parts.ts';
import { explainCsvRow } from '../../src/rows/csv-errors.ts';
import { CsvReader } from '../../src/rows/csv-reader.ts';

const cut = (source: ImportSource, isCsv: boolean, partBytes: number): Promise<Part[]> =>
  Array.fromAsync(cutIntoParts(source, { isCsv, partBytes }));

const textOf = (part: Part | undefined): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(part?.body);

async function* inChunks(text: string, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

describe('cutIntoParts()', () => {
  it('cuts NDJSON where lines end', async () => {
    const parts = await cut('{"id":1}\n{"id":2}\n\n{"id":3}', false, 10);
    assert.deepEqual(parts.map(textOf), ['{"id":1}\n', '{"id":2}\n\n', '{"id":3}']);
    assert.deepEqual(
      parts.map(({ lineOffset }) => lineOffset),
      [0, 1, 3],
    );
    assert.deepEqual(
      parts.map(({ sourceBytes }) => sourceBytes),
      [9, 19, 27],
    );
  });

  it('puts the header line on every part of CSV, and cuts no row in two', async () => {
    const text = 'id,"na\nme"\r\n1,"a\nb"\r\n2,c\r\n3,"d""\n"\r\n';
    const parts = await cut(text, true, 27);
    const header = 'id,"na\nme"\r\n';
    assert.deepEqual(parts.map(textOf), [`${header}1,"a\nb"\r\n2,c\r\n`, `${header}3,"d""\n"\r\n`]);
    // Line 3 of the last part is the first below a header of two lines, and line 6 of the source.
    assert.deepEqual(
      parts.map(({ lineOffset }) => lineOffset),
      [0, 3],
    );
  });

  it('the header line of CSV is the first that is not blank', async () => {
    for (const blank of ['\n', '\r\n\n', '\ufeff\r\n']) {
      const header = `${blank}id,name\n`;
      const parts = await cut(`${header}1,a\n2,b\n`, true, new TextEncoder().encode(header).length + 4);
      assert.equal(textOf(parts.at(-1)), 'id,name\n2,b\n');
      assert.equal(parts.at(-1)?.lineOffset, header.split('\n').length - 1);
    }
  });

  it('sends no part with only the blank lines before the header line, and counts them', async () => {
    const parts = await cut(inChunks(`${'\r\n'.repeat(20)}id,name\n1,a\n2,b\n`, 4), true, 8);
    assert.deepEqual(parts.map(textOf), ['id,name\n', 'id,name\n1,a\n', 'id,name\n2,b\n']);
    assert.deepEqual(
      parts.map(({ lineOffset, sourceBytes }) => [lineOffset, sourceBytes]),
      [
        [20, 48],
        [20, 52],
        [21, 56],
      ],
    );
    const blank = await cut('\n'.repeat(20), true, 4);
    assert.deepEqual(
      blank.map((part) => [textOf(part), part.sourceBytes]),
      [['', 20]],
    );
  });

  it('an empty source is one empty part', async () => {
    for (const isCsv of [false, true]) {
      assert.deepEqual((await cut('', isCsv, 10)).map(textOf), ['']);
      assert.deepEqual((await cut(new Blob([]), isCsv, 10)).map(textOf), ['']);
    }
  });

  it('takes text, Blob, stream and chunks alike', async () => {
    const text = '{"id":1,"name":"🌵"}\n'.repeat(9_000);
    const expected = (await cut(text, false, 50_000)).map(textOf);
    assert.equal(expected.join(''), text);
    for (const source of [new Blob([text]), new Blob([text]).stream(), inChunks(text, 999)])
      assert.equal((await cut(source, false, 50_000)).map(textOf).join(''), text);
  });

  it('refuses a source that gives no bytes, and the bytes themselves', async () => {
    for (const source of [Readable.from(['id,name\n']), Buffer.from('id,name\n')])
      await assert.rejects(cut(source as unknown as ImportSource, true, 50_000), {
        name: 'TypeError',
        message: 'Cannot import: the source must be a text, a Blob, or a stream of Uint8Array',
      });
  });

  it('refuses a text with half of a surrogate pair', async () => {
    await assert.rejects(cut('{"id":1,"name":"\ud800"}', false, 10), TypeError);
  });

  it('sends the beginning of a row that is far too long, drops the rest of it, and keeps count', async () => {
    const parts = await cut(inChunks(`a\n${'b'.repeat(500_000)}\nc\nd\n`, 10_000), false, 1_000_000);
    const [first] = parts;
    assert.ok(first !== undefined && first.body.length > 65_540 && first.body.length < 65_600);
    assert.deepEqual(
      parts.map((part) => [part.lineOffset, part.sourceBytes]),
      [
        // Whoever continues after the part begins with a row.
        [0, 500_003],
        [2, 500_007],
      ],
    );
    assert.equal(textOf(parts[1]), 'c\nd\n');
    const open = await cut(inChunks(`a\n${'b'.repeat(500_000)}`, 10_000), false, 1_000_000);
    assert.deepEqual(
      open.map(({ sourceBytes }) => sourceBytes),
      [500_002],
    );
  });

  it('what is wrong with a row does not depend on its part', async () => {
    // A row so long that only its beginning is sent.
    const long = `6,"${'f\n'.repeat(100_000)}"\n`;
    const text = `id,name\n${'1,a\n'.repeat(10)}2,"b\n3,"c"\n${long}4,d\n5,"e\n`;
    const detailsOf = (body: Uint8Array): unknown[] => {
      const reader = new CsvReader(explainCsvRow);
      return [...reader.read(body), ...reader.end()].flatMap((row) => ('error' in row ? [row.error.detail] : []));
    };
    const parts = await cut(text, true, 20);
    assert.deepEqual(
      parts.flatMap(({ body }) => detailsOf(body)),
      detailsOf(new TextEncoder().encode(text)),
    );
  });

  it('loses, invents and reorders nothing, whatever the chunks (property)', async () => {
    const field = fc.stringMatching(/^[a-z,"\r\n é🌵]{0,12}$/u);
    const row = fc
      .tuple(field, field)
      .map((fields) => fields.map((each) => `"${each.replaceAll('"', '""')}"`).join(','));
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 30 }),
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 100 }),
        async (rows, lineEnd, endsOpen, chunkBytes, partBytes) => {
          const header = `id,name${lineEnd}`;
          const text = header + rows.join(lineEnd) + (endsOpen || rows.length === 0 ? '' : lineEnd);
          const parts = await cut(inChunks(text, chunkBytes), true, partBytes);
          const bodies = parts.map(textOf);
          assert.ok(bodies.every((body) => body.startsWith(header)));
          const longest = Math.max(header.length, ...rows.map((each) => Buffer.byteLength(each) + 2 + header.length));
          assert.ok(parts.every(({ body }) => body.length <= Math.max(partBytes, longest)));
          assert.equal(header + bodies.map((body) => body.slice(header.length)).join(''), text);
          let bytes = 0;
          for (const { body, lineOffset, sourceBytes } of parts) {
            // The first line below the header of this part is that line of the source.
            const before = new TextEncoder().encode(text).subarray(0, bytes === 0 ? header.length : bytes);
            assert.equal(
              lineOffset + 1,
              before.reduce((count, byte) => count + (byte === 0x0a ? 1 : 0), 0),
            );
            bytes += body.length - (bytes === 0 ? 0 : header.length);
            assert.equal(sourceBytes, bytes);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
