/**
 * Saves plants as a file: those of the filter as the service streams them, or the selected ones. Nothing is saved unless all have arrived.
 * CSV begins with a byte order mark: it is for spreadsheets.
 */
import type { PlantClient, PlantFilter, RowFormat, StoredPlant } from '../../../src/client/client.ts';
import { toJson } from '../../../src/json/to-json.ts';
import { csvHeader, toCsvLine } from '../../../src/rows/csv-write.ts';
import { findInCopy } from '../copy/copy.ts';
import { readPlants } from './read-plants.ts';

export interface ExportJob {
  readonly format: RowFormat;
  /** A filter, the ids of a selection, or the plants that the page has found. */
  readonly source: PlantFilter | readonly bigint[] | (() => readonly StoredPlant[]);
  /** Number of plants, as far as it is known. */
  readonly total: bigint | undefined;
}

export interface ExportProgress {
  readonly bytes: number;
  /** 0 to 1; undefined when the total is unknown. */
  readonly share: number | undefined;
}

/** Bytes of one part of the file. */
const partBytes = 1_000_000;

/** Resolves to the size of the file. */
export async function exportPlants(
  client: PlantClient,
  { format, source, total }: ExportJob,
  signal: AbortSignal,
  onProgress: (progress: ExportProgress) => void,
): Promise<number> {
  const toShare = (rows: number): number | undefined => (total ? Math.min(1, rows / Number(total)) : undefined);
  const blob =
    typeof source === 'function'
      ? toBlob(source(), format)
      : source instanceof Array
        ? toBlob(
            findInCopy(source) ??
              (await readPlants(client, source, signal, (rows) => onProgress({ bytes: 0, share: toShare(rows) }))),
            format,
          )
        : await collect(
            await client.exportBytes(format, {
              ...source,
              byteOrderMark: true,
              signal,
              onProgress: ({ bytes, rows }) => onProgress({ bytes, share: toShare(Number(rows)) }),
            }),
            format,
          );
  saveFile(blob, format === 'text/csv' ? 'plants.csv' : 'plants.ndjson');
  return blob.size;
}

/** Ascending by id, as the service writes them. */
function toBlob(plants: readonly StoredPlant[], format: RowFormat): Blob {
  const sorted = [...plants].sort((one, other) => (one.id < other.id ? -1 : 1));
  const lines =
    format === 'text/csv'
      ? ['\uFEFF', csvHeader, ...sorted.map(toCsvLine)]
      : sorted.map((plant) => `${toJson(plant)}\n`);
  return new Blob(lines, { type: format });
}

async function collect(stream: ReadableStream<Uint8Array<ArrayBuffer>>, type: string): Promise<Blob> {
  const reader = stream.getReader();
  const parts: Blob[] = [];
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for (;;) {
    const { value } = await reader.read();
    if (value === undefined) break;
    chunks.push(value);
    bytes += value.length;
    if (bytes < partBytes) continue;
    // A browser may move blobs out of memory, arrays never.
    parts.push(new Blob(chunks));
    chunks = [];
    bytes = 0;
  }
  return new Blob([...parts, ...chunks], { type });
}

export function saveFile(blob: Blob, fileName: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
