/** The encoder of QR codes, held against a reader of its own that goes the other way: places, mask, blocks, check symbols, bytes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cutToBytes } from '../../console/src/labels/qr-codewords.ts';
import { type QrCode, toQrCode } from '../../console/src/labels/qr-code.ts';

/** ISO/IEC 18004, table C.1: the format bits of level M with the masks 0 to 7. */
const formats = [0x5412, 0x5125, 0x5e7c, 0x5b4b, 0x45f9, 0x40ce, 0x4f97, 0x4aa0];
/** Table E.1: centres of the alignment patterns. */
const alignments = new Map([
  [1, []],
  [2, [6, 18]],
  [7, [6, 22, 38]],
  [14, [6, 26, 46, 66]],
  [20, [6, 34, 62, 90]],
]);
/** Table 9, level M: data codewords of each block. */
const blocks = new Map([
  [1, [16]],
  [2, [28]],
  [5, [43, 43]],
  [7, [31, 31, 31, 31]],
  [8, [38, 38, 39, 39]],
  [10, [43, 43, 43, 43, 44]],
  [14, [40, 40, 40, 40, 41, 41, 41, 41, 41]],
  [20, [...Array.from({ length: 3 }, () => 41), ...Array.from({ length: 13 }, () => 42)]],
]);
const eccLengths = new Map([
  [1, 10],
  [2, 16],
  [5, 24],
  [7, 18],
  [8, 22],
  [10, 26],
  [14, 24],
  [20, 26],
]);

describe('toQrCode()', () => {
  for (const [version, text] of [
    [1, '7\nAloe'],
    [2, '9007199254740993\nMonstera'],
    [5, `-9223372036854775808\n${'Äpfel '.repeat(7)}`],
    [7, 'x'.repeat(120)],
    [8, 'y'.repeat(140)],
    [10, 'z'.repeat(200)],
    [14, 'w'.repeat(340)],
    [20, '👩‍🌾'.repeat(60)],
  ] as const) {
    it(`makes a code of version ${version} that reads as it was written`, () => {
      const code = toQrCode(text);
      assert.equal(code.length, version * 4 + 17);
      assert.equal(readText(code, version), text);
    });
  }

  it('refuses a text that is too long, and takes the longest one that is not', () => {
    assert.equal(toQrCode('a'.repeat(666)).length, 97);
    assert.throws(() => toQrCode('a'.repeat(667)), RangeError);
  });
});

describe('cutToBytes()', () => {
  it('leaves what fits, and cuts between characters', () => {
    assert.equal(cutToBytes('Aloe', 4), 'Aloe');
    assert.equal(cutToBytes('Aloen', 4), 'A…');
    assert.equal(cutToBytes('ÄÄÄ', 5), 'Ä…');
    assert.equal(cutToBytes('👩👩', 7), '👩…');
  });
});

function readText(code: QrCode, version: number): string {
  const size = code.length;
  const at = (x: number, y: number): boolean => code[y]?.[x] === true;
  const near = [...[0, 1, 2, 3, 4, 5, 7, 8].map((y) => at(8, y)), ...[7, 5, 4, 3, 2, 1, 0].map((x) => at(x, 8))].reduce(
    (sum, isDark, bit) => sum | (isDark ? 1 << bit : 0),
    0,
  );
  const mask = formats.indexOf(near);
  assert.notEqual(mask, -1, 'the format is one of level M');
  assert.ok(at(8, size - 8), 'the dark module is dark');
  const bits: boolean[] = [];
  for (let right = size - 1, isUpward = true; right > 0; right -= 2, isUpward = !isUpward) {
    if (right === 6) right--;
    for (let step = 0; step < size; step++) {
      const y = isUpward ? size - 1 - step : step;
      for (const x of [right, right - 1])
        if (!isFunction(x, y, size, version)) bits.push(at(x, y) !== isMasked(mask, x, y));
    }
  }
  const lengths = blocks.get(version) ?? [];
  const eccLength = eccLengths.get(version) ?? 0;
  const codewords = Array.from({ length: Math.floor(bits.length / 8) }, (_, index) =>
    bits.slice(index * 8, index * 8 + 8).reduce((sum, bit) => sum * 2 + Number(bit), 0),
  );
  assert.equal(
    codewords.length,
    lengths.reduce((sum, length) => sum + length + eccLength, 0),
  );
  const parts = lengths.map((): number[] => []);
  for (let index = 0; index < Math.max(...lengths); index++)
    for (const [block, part] of parts.entries()) if (index < (lengths[block] ?? 0)) part.push(codewords.shift() ?? 0);
  const data = parts.flatMap((part) => [...part]);
  for (let index = 0; index < eccLength; index++) for (const part of parts) part.push(codewords.shift() ?? 0);
  for (const part of parts)
    assert.deepEqual(
      toSyndromes(part, eccLength),
      Array.from({ length: eccLength }, () => 0),
    );
  const nibbles = data.flatMap((byte) => [byte >>> 4, byte & 15]);
  assert.equal(nibbles.shift(), 0b0100, 'byte mode');
  const length = nibbles.splice(0, version < 10 ? 2 : 4).reduce((sum, nibble) => sum * 16 + nibble, 0);
  const bytes = Array.from({ length }, (_, index) => (nibbles[index * 2] ?? 0) * 16 + (nibbles[index * 2 + 1] ?? 0));
  return new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(bytes));
}

/** Whether a module is a pattern, or holds format or version. */
function isFunction(x: number, y: number, size: number, version: number): boolean {
  const isCorner = (x < 9 && y < 9) || (x < 9 && y >= size - 8) || (x >= size - 8 && y < 9);
  const isVersion = version >= 7 && ((x >= size - 11 && y < 6) || (y >= size - 11 && x < 6));
  const centers = alignments.get(version) ?? [6, ...otherCenters(version)];
  const last = size - 7;
  const isAlignment = centers.some((centerX) =>
    centers.some(
      (centerY) =>
        !(centerX === 6 && centerY === 6) &&
        !(centerX === 6 && centerY === last) &&
        !(centerX === last && centerY === 6) &&
        Math.abs(x - centerX) <= 2 &&
        Math.abs(y - centerY) <= 2,
    ),
  );
  return isCorner || isVersion || isAlignment || x === 6 || y === 6;
}

/** Table E.1 for the other versions of these tests. */
function otherCenters(version: number): readonly number[] {
  return (
    new Map([
      [5, [30]],
      [8, [24, 42]],
      [10, [28, 50]],
    ]).get(version) ?? []
  );
}

function isMasked(mask: number, x: number, y: number): boolean {
  const product = x * y;
  const values = [
    x + y,
    y,
    x,
    x + y,
    ((x / 3) | 0) + ((y / 2) | 0),
    (product % 2) + (product % 3),
    (product % 2) + (product % 3),
    ((x + y) % 2) + (product % 3),
  ];
  const moduli = [2, 2, 3, 3, 2, 99, 2, 2];
  return (values[mask] ?? 0) % (moduli[mask] ?? 1) === 0;
}

/** All zero for a block without an error (ISO/IEC 18004, annex B). */
function toSyndromes(block: readonly number[], count: number): number[] {
  const powers: number[] = [];
  for (let power = 0, value = 1; power < 255; power++) {
    powers.push(value);
    value = value < 128 ? value * 2 : (value * 2) ^ 0x11d;
  }
  const multiply = (one: number, other: number): number =>
    one === 0 || other === 0 ? 0 : (powers[(powers.indexOf(one) + powers.indexOf(other)) % 255] ?? 0);
  return Array.from({ length: count }, (_, root) =>
    block.reduce((sum, codeword) => multiply(sum, powers[root] ?? 0) ^ codeword, 0),
  );
}
