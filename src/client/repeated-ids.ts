/** Finds ids that more than one row of some files has. */
import { parseInt64 } from '../json/int64.ts';
import type { RowFormat } from './import-parts.ts';
import { type PlantRow, readPlantRows } from './plant-rows.ts';

export interface RowFile {
  readonly source: Blob;
  readonly mediaType: RowFormat;
}

/** Where a row is: on a line of a file, the first file being 0. */
export interface RowPlace {
  readonly file: number;
  readonly line: number;
}

export interface RepeatedIds {
  /** Ids that are there more than once, with all their rows. */
  readonly ids: ReadonlyMap<bigint, readonly RowPlace[]>;
  /** False: the files have more rows than are compared. */
  readonly isWhole: boolean;
}

/** Ids that are compared, in about 100 MB of memory. */
const idsMax = 1_000_000;

/**
 * @param isPlant whether the row on a line of a file is a plant; other rows are ignored.
 * @param watch gets every row that can be read, and its id if it has a valid one.
 */
export async function findRepeatedIds(
  files: readonly RowFile[],
  signal: AbortSignal | undefined,
  isPlant: (place: RowPlace) => boolean,
  watch: (row: PlantRow, id: bigint | undefined) => void = () => undefined,
): Promise<RepeatedIds> {
  const firsts = new Map<bigint, RowPlace>();
  const ids = new Map<bigint, RowPlace[]>();
  for (const [file, { source, mediaType }] of files.entries())
    for await (const row of readPlantRows(source, mediaType)) {
      if (signal?.aborted === true || firsts.size === idsMax) return { ids, isWhole: false };
      const id = parseInt64(row.id);
      const place = { file, line: row.line };
      watch(row, id);
      if (id === undefined || !isPlant(place)) continue;
      const first = firsts.get(id);
      if (first === undefined) firsts.set(id, place);
      else if (ids.get(id)?.push(place) === undefined) ids.set(id, [first, place]);
    }
  return { ids, isWhole: true };
}
