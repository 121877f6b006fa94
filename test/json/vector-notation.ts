/** How the vectors are written: one row each, with bytes that are no printable ASCII as hexadecimal. The rows are elsewhere. */
import { Buffer } from 'node:buffer';
import type { JsonErrorReason } from '../../src/json/json-error.ts';

/** What becomes of the bytes: taken, or refused because they are no UTF-8, or because the text is no JSON of ours. */
export type Expected = 'accept' | 'not-utf8' | JsonErrorReason;

/** One JSON text and its fate. The text is any value, rarely a plant. */
export interface JsonVector {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly expected: Expected;
  /** Why, where a parser may choose or where ours is stricter than others. */
  readonly note?: string;
}

/** A name, the text, and a note. In the text `<C3 A9>` stands for these two bytes; all else is printable ASCII. */
export type Row = readonly [name: string, text: string, note?: string];

/** The vectors of rows that share one fate. */
export function toVectors(expected: Expected, rows: readonly Row[]): JsonVector[] {
  return rows.map(([name, text, note]) => {
    const vector = { name, bytes: toBytes(text), expected };
    return note === undefined ? vector : { ...vector, note };
  });
}

function toBytes(text: string): Uint8Array {
  const binary = text.replace(/<([0-9A-F]{2}(?: [0-9A-F]{2})*)>/g, (_, bytes: string) =>
    Buffer.from(bytes.replaceAll(' ', ''), 'hex').toString('latin1'),
  );
  return Uint8Array.from(Buffer.from(binary, 'latin1'));
}
