/** Looks at the beginning of a file: its format and encoding, or why it cannot be imported. Nothing is sent. */
import type { RowFormat } from '../../../src/client/client.ts';

/** Those of spreadsheets, as `TextDecoder` names them, for people. */
export const encodingNames = {
  'utf-8': 'UTF-8',
  'windows-1252': 'Windows-1252',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16 (big-endian)',
} as const;
export type Encoding = keyof typeof encodingNames;

/** What is looked at, in bytes. A later row that is not in this encoding is refused by the service. */
const sampleBytes = 1_048_576;
/** Characters in which binary files have U+0000. */
const headLength = 512;
/** The first bytes of what a spreadsheet saves by itself: ZIP (.xlsx, .ods) and OLE (.xls). */
const spreadsheetMarks = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
] as const;

export type Inspection = { readonly format: RowFormat; readonly encoding: Encoding } | { readonly problem: string };

export async function inspectFile(file: File): Promise<Inspection> {
  // A folder can be dropped, too, but not read.
  const buffer = await file
    .slice(0, sampleBytes)
    .arrayBuffer()
    .catch(() => undefined);
  if (buffer === undefined)
    return {
      problem: 'This file cannot be read. If it was changed or moved, choose it again; a folder cannot be imported.',
    };
  const bytes = new Uint8Array(buffer);
  if (spreadsheetMarks.some((mark) => mark.every((byte, at) => bytes[at] === byte))) {
    return {
      problem:
        'This is the file of a spreadsheet. Save it there as “CSV UTF-8”, or copy the cells and paste them here.',
    };
  }
  const encoding = findEncoding(bytes);
  const text = new TextDecoder(encoding).decode(bytes);
  if (text.trim() === '') return { problem: 'This file is empty.' };
  // In UTF-8, U+0000 further on may be in a row, which the service refuses alone.
  if ((encoding === 'utf-8' ? text.slice(0, headLength) : text).includes('\0'))
    return { problem: 'This is no text file.' };
  const isJson = /^\s*\{/.test(text) || /\.(ndjson|jsonl?)$/i.test(file.name);
  return { format: isJson ? 'application/x-ndjson' : 'text/csv', encoding };
}

function findEncoding(bytes: Uint8Array): Encoding {
  const [first, second] = bytes;
  // With a mark, or by the zeros in plain text.
  if ((first === 0xff && second === 0xfe) || second === 0) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || first === 0) return 'utf-16be';
  try {
    // Streaming: the sample may end within a character.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}
