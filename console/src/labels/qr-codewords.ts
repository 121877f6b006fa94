/** The data half of a QR code: bytes -> codewords with error correction, interleaved (ISO/IEC 18004, clauses 7.4 to 7.6), at level M. */

/** For the versions 1 to 20: error correction codewords of a block, and blocks (table 9, level M). */
const blockTable: readonly (readonly [eccLength: number, blocks: number])[] = [
  [10, 1],
  [16, 1],
  [26, 1],
  [18, 2],
  [24, 2],
  [16, 4],
  [18, 4],
  [22, 4],
  [22, 5],
  [26, 5],
  [30, 5],
  [22, 8],
  [22, 9],
  [24, 9],
  [24, 10],
  [28, 10],
  [28, 11],
  [26, 13],
  [26, 14],
  [26, 16],
];

/** @throws RangeError when no version up to 20 is large enough. */
export function toCodewords(bytes: Uint8Array): { readonly version: number; readonly codewords: Uint8Array } {
  for (const [index, [eccLength, blocks]] of blockTable.entries()) {
    const version = index + 1;
    const total = countCodewords(version);
    const dataLength = total - eccLength * blocks;
    const headBits = version < 10 ? 12 : 20;
    if (headBits + bytes.length * 8 > dataLength * 8) continue;
    return { version, codewords: interleave(toData(bytes, dataLength, headBits), total, eccLength, blocks) };
  }
  throw new RangeError(`Cannot make a QR code of ${bytes.length} bytes`);
}

/** The longest beginning of the text, cut between characters, that takes at most so many bytes. */
export function cutToBytes(text: string, bytesMax: number): string {
  const encoder = new TextEncoder();
  if (encoder.encode(text).length <= bytesMax) return text;
  let cut = '';
  let left = bytesMax - 3;
  for (const character of text) {
    left -= encoder.encode(character).length;
    if (left < 0) break;
    cut += character;
  }
  return `${cut}…`;
}

/** Modules of this version that are neither pattern nor format nor version, in bytes. */
function countCodewords(version: number): number {
  let modules = (16 * version + 128) * version + 64;
  if (version >= 2) {
    const aligned = Math.floor(version / 7) + 2;
    modules -= (25 * aligned - 10) * aligned - 55;
    if (version >= 7) modules -= 36;
  }
  return Math.floor(modules / 8);
}

/** Mode, length, the bytes, an end, and padding. */
function toData(bytes: Uint8Array, dataLength: number, headBits: number): Uint8Array {
  const data = new Uint8Array(dataLength);
  const lengthBits = headBits - 4;
  const head = (0b0100 << lengthBits) | bytes.length;
  // Mode and length are 12 or 20 bits: everything behind them is shifted by half a byte.
  const nibbles: number[] = [];
  for (let shift = headBits - 4; shift >= 0; shift -= 4) nibbles.push((head >>> shift) & 15);
  for (const byte of bytes) nibbles.push(byte >>> 4, byte & 15);
  nibbles.push(0);
  for (const [at, nibble] of nibbles.entries()) {
    const index = at >>> 1;
    data[index] = (data[index] ?? 0) | (at % 2 === 0 ? nibble << 4 : nibble);
  }
  for (let at = Math.ceil(nibbles.length / 2), isFirst = true; at < dataLength; at++, isFirst = !isFirst)
    data[at] = isFirst ? 0xec : 0x11;
  return data;
}

function interleave(data: Uint8Array, total: number, eccLength: number, blocks: number): Uint8Array {
  const shortLength = Math.floor(data.length / blocks);
  const shortBlocks = blocks - (data.length % blocks);
  const divisor = toDivisor(eccLength);
  const parts: { data: Uint8Array; ecc: Uint8Array }[] = [];
  for (let at = 0, start = 0; at < blocks; at++) {
    const length = shortLength + (at < shortBlocks ? 0 : 1);
    const block = data.subarray(start, start + length);
    parts.push({ data: block, ecc: toRemainder(block, divisor) });
    start += length;
  }
  const result = new Uint8Array(total);
  let place = 0;
  for (let at = 0; at <= shortLength; at++)
    for (const part of parts) if (at < part.data.length) result[place++] = part.data[at] ?? 0;
  for (let at = 0; at < eccLength; at++) for (const part of parts) result[place++] = part.ecc[at] ?? 0;
  return result;
}

/** The product in GF(2^8) with the polynomial x^8 + x^4 + x^3 + x^2 + 1. */
function multiply(one: number, other: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    if (((other >>> bit) & 1) === 1) product ^= one;
  }
  return product;
}

/** The product of (x - 2^k) for k from 0 on, less its first coefficient, which is 1. */
function toDivisor(degree: number): Uint8Array {
  const divisor = new Uint8Array(degree);
  divisor[degree - 1] = 1;
  let root = 1;
  for (let round = 0; round < degree; round++) {
    for (let at = 0; at < degree; at++) divisor[at] = multiply(divisor[at] ?? 0, root) ^ (divisor[at + 1] ?? 0);
    root = multiply(root, 2);
  }
  return divisor;
}

function toRemainder(data: Uint8Array, divisor: Uint8Array): Uint8Array {
  const rest = new Uint8Array(divisor.length);
  for (const byte of data) {
    const factor = byte ^ (rest[0] ?? 0);
    rest.copyWithin(0, 1);
    rest[rest.length - 1] = 0;
    for (let at = 0; at < rest.length; at++) rest[at] = (rest[at] ?? 0) ^ multiply(divisor[at] ?? 0, factor);
  }
  return rest;
}
