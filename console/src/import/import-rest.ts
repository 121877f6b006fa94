/** The rest of a file after the rows that are imported already. */
import type { RowFormat } from '../../../src/client/client.ts';
import { readChunks } from './read-chunks.ts';
import { readHeader } from './read-rows.ts';

export interface Rest {
  readonly source: Blob;
  /** Add it to a line of the source to get the line of the file. */
  readonly lineOffset: bigint;
  readonly toFileBytes: (sourceBytes: number) => number;
}

/** @param bytes of the file that are done; they end where a row ends. */
export async function toRest(file: Blob, format: RowFormat, bytes: number): Promise<Rest> {
  if (bytes === 0) return { source: file, lineOffset: 0n, toFileBytes: (sourceBytes) => sourceBytes };
  const header = format === 'text/csv' ? await readHeader(file) : new Uint8Array(0);
  const lines = (await countLines(file.slice(0, bytes))) - (await countLines(new Blob([header])));
  return {
    source: new Blob([header, file.slice(bytes)]),
    lineOffset: BigInt(lines),
    toFileBytes: (sourceBytes) => bytes + sourceBytes - header.length,
  };
}

async function countLines(blob: Blob): Promise<number> {
  let lines = 0;
  for await (const chunk of readChunks(blob)) for (const byte of chunk ?? []) if (byte === 0x0a) lines++;
  return lines;
}
