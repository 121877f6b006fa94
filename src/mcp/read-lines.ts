/** Splits a stream of bytes into lines of bounded length. Knows nothing of their content. */

/** Longest message in bytes: many times the longest plant, with what clients tell of themselves. */
export const lineBytesMax = 1_048_576;

/** A line without its line feed, or why it cannot be read; the lines after it can be. */
export type Line = { readonly text: string } | { readonly problem: string };

const lineFeed = 0x0a;

/** The lines that are not blank. The last one needs no line feed. */
export async function* readLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<Line, void, undefined> {
  let begun: Uint8Array[] = [];
  let length = 0;
  /** What does not fit is dropped, and counted. */
  const keep = (bytes: Uint8Array): void => {
    length += bytes.length;
    if (length > lineBytesMax) begun = [];
    else if (bytes.length > 0) begun.push(bytes);
  };
  const take = (): Line | undefined => {
    const line = length > lineBytesMax ? { problem: `it has more than ${lineBytesMax} bytes` } : toLine(begun);
    begun = [];
    length = 0;
    return 'text' in line && line.text.trim() === '' ? undefined : line;
  };
  for await (const bytes of source) {
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
      keep(bytes.subarray(start, end));
      start = end + 1;
      const line = take();
      if (line !== undefined) yield line;
    }
    keep(bytes.subarray(start));
  }
  const last = take();
  if (last !== undefined) yield last;
}

function toLine(chunks: readonly Uint8Array[]): Line {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    return { text: chunks.map((bytes) => decoder.decode(bytes, { stream: true })).join('') + decoder.decode() };
  } catch {
    return { problem: 'it is not UTF-8' };
  }
}
