/** Recognises files that are not UTF-8 before anything is sent, so that the message can name the fix. */

/** What is looked at, in bytes. A later row that is not UTF-8 is refused by the service. */
const sampleBytes = 1_048_576;

/** The name of the encoding that the file seems to have; undefined when its beginning is UTF-8. */
export async function findOtherEncoding(file: Blob): Promise<string | undefined> {
  const bytes = new Uint8Array(await file.slice(0, sampleBytes).arrayBuffer());
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return 'UTF-16';
  // In UTF-16 without a mark, every other byte of plain text is zero.
  if (first === 0 || second === 0) return 'UTF-16';
  try {
    // Streaming: the sample may end within a character.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return undefined;
  } catch {
    return 'Latin-1 or Windows-1252';
  }
}
