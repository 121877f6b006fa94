/** An export as it comes in: as bytes, and as plants. The end of the stream says if it is whole. */
import type { StoredPlant } from '../domain/schemas.ts';
import { RowSplitter } from '../rows/row-splitter.ts';
import { decode, openDecoder, parseStoredPlant } from './responses.ts';
import { ConnectionError } from './errors.ts';
import type { RowFormat } from './import-parts.ts';
import type { ExportOptions } from './options.ts';
import { readStream } from './read-stream.ts';
import { toFailure } from './failures.ts';
import type { OpenAnswer } from './transport.ts';

/** Longest line of NDJSON in UTF-16 units, far more than a plant needs. */
const lineLengthMax = 1_000_000;

/**
 * The body of a response, at the pace of its reader; the time-out applies only while somebody
 * reads. A truncated one ends with ConnectionError, never as if it were whole: its last chunk
 * is missing then (RFC 9112, section 8). A proxy may end it as if it were whole; it ends with
 * ConnectionError also if the last row has no end.
 * @throws ConnectionError if it is of another media type: nobody should save the page of a
 * proxy as an export.
 */
export function toByteStream(
  { response, deadline }: OpenAnswer,
  mediaType: RowFormat,
  { signal, onProgress }: ExportOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  if (response.headers.get('content-type')?.startsWith(mediaType) !== true) {
    deadline.cancel();
    throw new ConnectionError('response', 'Cannot use the response: it is not an export of a plant store');
  }
  const isCsv = mediaType === 'text/csv';
  const splitter = new RowSplitter(isCsv);
  /** The header line is none. */
  let rows = isCsv ? -1 : 0;
  let bytes = 0;
  const reader = response.body?.getReader();
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: async (controller) => {
        try {
          deadline.restart();
          const { value } = (await reader?.read()) ?? {};
          deadline.pause();
          if (value !== undefined) {
            bytes += value.length;
            rows += [...splitter.split(value)].length;
            onProgress?.({ bytes, rows: BigInt(Math.max(0, rows)) });
            controller.enqueue(value);
            return;
          }
          deadline.close();
          if (rows < 0 || splitter.end().next().done !== true)
            throw new ConnectionError('response', 'Cannot use the response: the export ends in the middle of a row');
          controller.close();
        } catch (error) {
          deadline.close();
          throw toFailure(error, deadline, signal, true);
        }
      },
      cancel: () => deadline.cancel(),
    },
    { highWaterMark: 0 },
  );
}

/** The plants of an NDJSON stream. Leaving early ends the request. */
export async function* readPlants(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<StoredPlant, void, undefined> {
  for await (const line of readLines(stream)) {
    signal?.throwIfAborted();
    yield parseStoredPlant(line);
  }
}

/** The complete lines of a stream. */
export async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = openDecoder();
  let rest = '';
  for await (const bytes of readStream(stream)) {
    const lines = (rest + decode(bytes, decoder, true)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (rest.length > lineLengthMax)
      throw new ConnectionError('response', 'Cannot use the response: a line is too long for a plant');
  }
}
