/**
 * Saves plants as a file: those of the filter as the service streams them, or the selected ones. Nothing is saved unless all have arrived.
 * CSV begins with a byte order mark: it is for spreadsheets.
 */
import {
  csvHeader,
  type PlantClient,
  type PlantFilter,
  type RowFormat,
  type StoredPlant,
  toCsvLine,
  toJson,
} from '../../../src/client/client.ts';
import { saveFile } from '../ui/save-file.ts';

export interface ExportJob {
  readonly format: RowFormat;
  /** A filter, or plants that the page has. */
  readonly source: PlantFilter | (() => readonly StoredPlant[]);
  /** Number of plants, as far as it is known. */
  readonly total: bigint | undefined;
}

export interface ExportProgress {
  readonly bytes: number;
  /** 0 to 1; undefined when the total is unknown. */
  readonly share: number | undefined;
}

/** Resolves to the number of plants in the file. */
export async function exportPlants(
  client: PlantClient,
  { format, source, total }: ExportJob,
  signal: AbortSignal,
  onProgress: (progress: ExportProgress) => void,
): Promise<bigint | number> {
  let plants: bigint | number = 0n;
  const blob = typeof source === 'function' ? toBlob(source()) : await read();
  saveFile(blob, format === 'text/csv' ? 'plants.csv' : 'plants.ndjson');
  return plants;

  async function read(): Promise<Blob> {
    const stream = await client.exportBytes(format, {
      ...source,
      byteOrderMark: true,
      signal,
      onProgress: ({ bytes, rows }) => {
        plants = rows;
        onProgress({ bytes, share: total ? Math.min(1, Number(rows) / Number(total)) : undefined });
      },
    });
    // A browser may move a blob out of memory while it comes.
    return new Response(stream, { headers: { 'content-type': format } }).blob();
  }

  /** Ascending by id, as the service writes them. */
  function toBlob(found: readonly StoredPlant[]): Blob {
    plants = found.length;
    const sorted = [...found].sort((one, other) => (one.id < other.id ? -1 : 1));
    const lines =
      format === 'text/csv'
        ? ['\uFEFF', csvHeader, ...sorted.map(toCsvLine)]
        : sorted.map((plant) => `${toJson(plant)}\n`);
    return new Blob(lines, { type: format });
  }
}
