/** Splits a stream of bytes into lines of bounded length. Knows nothing of their content. */
import { type RawRow, RowSplitter } from '../rows/row-splitter.ts';

/** Longest message in bytes: many times the longest plant, with what clients tell of themselves. */
export const lineBytesMax = 1_048_576;

/** A line, or why it cannot be read; the lines after it can be. */
export type Line = { readonly text: string } | { readonly problem: string };

/** The lines that are not blank. The last one needs no line feed. */
export async function* readLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<Line, void, undefined> {
  const splitter = new RowSplitter(false, lineBytesMax);
  for await (const bytes of source) yield* toLines(splitter.split(bytes));
  yield* toLines(splitter.end());
}

function* toLines(rows: Iterable<RawRow>): Generator<Line> {
  for (const row of rows) {
    const line = toLine(row);
    if (!('text' in line) || line.text.trim() !== '') yield line;
  }
}

function toLine({ bytes, length, isOpen }: RawRow): Line {
  if (length - (isOpen ? 0 : 1) > lineBytesMax) return { problem: `it has more than ${lineBytesMax} bytes` };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { problem: 'it is not UTF-8' };
  }
}
