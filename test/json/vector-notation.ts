/**
 * The notation of the vectors: one row each, with hexadecimal for bytes outside printable ASCII.
 */
import { Buffer } from 'node:buffer';
import type { JsonErrorReason } from '../../src/json/json-error.ts';

/** The expected result: accepted, not UTF-8, or the reason of the JsonError. */
export type Expected = 'accept' | 'not-utf8' | JsonErrorReason;

/** A JSON text and its expected result. The text is any value, rarely a plant. */
export interface JsonVector {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly expected: Expected;
  /** The reason, where parsers may choose or ours is stricter than others. */
  readonly note?: string;
}

/**
 * A name, the text, and a note. `<C3 A9>` in the text stands for these two bytes; the rest is
 * printable ASCII.
 */
export type Row = readonly [name: string, text: string, note?: string];

/** Builds the vectors of rows with the same expected result. */
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
