/**
 * A text as a QR code (ISO/IEC 18004): byte mode in UTF-8, error correction level M, versions 1 to 20. How it is drawn is not decided here.
 */
import { toCodewords } from './qr-codewords.ts';

/** A square of dark and light modules, row by row, without the quiet zone. */
export type QrCode = readonly (readonly boolean[])[];

/** A module that is not data: a finder, a timing pattern, format or version bits. Undefined is room for data. */
type Grid = (boolean | undefined)[][];

const maskRules: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** @throws RangeError for a text of more than 666 bytes. */
export function toQrCode(text: string): QrCode {
  const { version, codewords } = toCodewords(new TextEncoder().encode(text));
  const size = version * 4 + 17;
  const frame = drawFrame(version, size);
  let best: QrCode | undefined;
  let bestPenalty = Infinity;
  for (const [mask, rule] of maskRules.entries()) {
    const code = fill(frame, size, codewords, rule, mask);
    const penalty = countPenalty(code, size);
    if (penalty < bestPenalty) [best, bestPenalty] = [code, penalty];
  }
  return best ?? [];
}

/** All that is the same for every text of this version; the place of the format bits is taken, and filled later. */
function drawFrame(version: number, size: number): Grid {
  const grid: Grid = Array.from({ length: size }, () => Array.from<boolean | undefined>({ length: size }));
  const set = (x: number, y: number, isDark: boolean): void => {
    const row = grid[y];
    if (row !== undefined && x >= 0 && x < size) row[x] = isDark;
  };
  for (let at = 0; at < size; at++) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  for (const [centerX, centerY] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const) {
    for (let y = -4; y <= 4; y++) {
      for (let x = -4; x <= 4; x++) {
        const ring = Math.max(Math.abs(x), Math.abs(y));
        set(centerX + x, centerY + y, ring !== 2 && ring !== 4);
      }
    }
  }
  drawAlignment(version, size, set);
  for (let at = 0; at < 15; at++) {
    for (const [x, y] of formatPlaces(at, size)) set(x, y, false);
  }
  set(8, size - 8, true);
  if (version >= 7) drawVersion(version, size, set);
  return grid;
}

function drawAlignment(version: number, size: number, set: (x: number, y: number, isDark: boolean) => void): void {
  if (version === 1) return;
  const count = Math.floor(version / 7) + 2;
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2;
  const places = [6, ...Array.from({ length: count - 1 }, (_, at) => size - 7 - (count - 2 - at) * step)];
  for (const centerY of places) {
    for (const centerX of places) {
      const last = size - 7;
      const isFinder =
        (centerX === 6 && centerY === 6) || (centerX === 6 && centerY === last) || (centerX === last && centerY === 6);
      if (isFinder) continue;
      for (let y = -2; y <= 2; y++)
        for (let x = -2; x <= 2; x++) set(centerX + x, centerY + y, Math.max(Math.abs(x), Math.abs(y)) !== 1);
    }
  }
}

function drawVersion(version: number, size: number, set: (x: number, y: number, isDark: boolean) => void): void {
  const bits = withRemainder(version, 12, 0x1f25);
  for (let at = 0; at < 18; at++) {
    const isDark = ((bits >>> at) & 1) === 1;
    const [long, short] = [size - 11 + (at % 3), Math.floor(at / 3)];
    set(long, short, isDark);
    set(short, long, isDark);
  }
}

/** Where bit `at` of the format stands, twice. */
function formatPlaces(at: number, size: number): readonly (readonly [number, number])[] {
  const near: readonly [number, number] = at < 6 ? [8, at] : at < 8 ? [8, at + 1] : at === 8 ? [7, 8] : [14 - at, 8];
  const far: readonly [number, number] = at < 8 ? [size - 1 - at, 8] : [8, size - 15 + at];
  return [near, far];
}

/** Puts the data into the free modules, column pair by column pair from the right, up and down in turns, and the mask over it. */
function fill(
  frame: Grid,
  size: number,
  codewords: Uint8Array,
  rule: (x: number, y: number) => boolean,
  mask: number,
): QrCode {
  const code = frame.map((row) => row.map((module) => module === true));
  let bit = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    // The timing column is passed over.
    const column = right <= 6 ? right - 1 : right;
    const isUpward = Math.floor((size - 1 - right) / 2) % 2 === 0;
    for (let step = 0; step < size; step++) {
      const y = isUpward ? size - 1 - step : step;
      for (const x of [column, column - 1]) {
        const row = code[y];
        if (row === undefined || frame[y]?.[x] !== undefined) continue;
        const isOne = (((codewords[bit >>> 3] ?? 0) >>> (7 - (bit & 7))) & 1) === 1;
        row[x] = isOne !== rule(x, y);
        bit++;
      }
    }
  }
  // Level M is 0.
  const format = withRemainder(mask, 10, 0x537) ^ 0x5412;
  for (let at = 0; at < 15; at++) {
    for (const [x, y] of formatPlaces(at, size)) {
      const row = code[y];
      if (row !== undefined) row[x] = ((format >>> at) & 1) === 1;
    }
  }
  return code;
}

/** The value and behind it the remainder of its division: a BCH code. */
function withRemainder(value: number, bits: number, generator: number): number {
  let rest = value;
  for (let at = 0; at < bits; at++) rest = (rest << 1) ^ ((rest >>> (bits - 1)) * generator);
  return (value << bits) | rest;
}

/** How hard the code is to read: runs, blocks, patterns that look like finders, and too much of one colour (clause 7.8.3). */
function countPenalty(code: QrCode, size: number): number {
  const columns = code.map((_, x) => code.map((row) => row[x] === true));
  let penalty = 0;
  let dark = 0;
  for (const line of [...code, ...columns]) {
    const text = line.map((isDark) => (isDark ? '1' : '0')).join('');
    for (const [run] of text.matchAll(/0{5,}|1{5,}/g)) penalty += run.length - 2;
    for (const pattern of ['10111010000', '00001011101'])
      for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + 1)) penalty += 40;
  }
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const module = code[y]?.[x];
      if (module === true) dark++;
      if (module === code[y]?.[x + 1] && module === code[y + 1]?.[x] && module === code[y + 1]?.[x + 1]) penalty += 3;
    }
  }
  return penalty + 10 * Math.floor(Math.abs((dark * 20) / (size * size) - 10));
}
