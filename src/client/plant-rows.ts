/** The rows of a file as texts: what it says of each plant, right or wrong. The service checks them. */
import { parseJson } from '../json/parse-json.ts';
import { CsvReader } from '../rows/csv-reader.ts';
import { withoutGuard } from '../rows/csv-write.ts';
import { NdjsonReader } from '../rows/ndjson-reader.ts';
import type { RowFormat } from './import-parts.ts';
import { readStream } from './read-stream.ts';

export interface PlantRow {
  readonly line: number;
  readonly id: string;
  readonly name: string;
  readonly tag: string | undefined;
}

/** Leaves out rows that have no cells, as with an open quote. */
export async function* readPlantRows(source: Blob, format: RowFormat): AsyncGenerator<PlantRow, void, undefined> {
  let columns: readonly (string | undefined)[] | undefined;
  for await (const row of readContents(source, format)) {
    if (!('content' in row)) continue;
    const { content, line } = row;
    if (typeof content === 'string') yield toPlantRow(line, toMembers(content));
    else if (columns === undefined) columns = content.map((cell) => cell?.trim().toLowerCase());
    else {
      const find = (name: string): string | undefined => {
        const cell = content[columns?.indexOf(name) ?? -1];
        return cell && withoutGuard(cell);
      };
      yield toPlantRow(line, { id: find('id'), name: find('name'), tag: find('tag') });
    }
  }
}

async function* readContents(source: Blob, format: RowFormat) {
  const rows = format === 'text/csv' ? new CsvReader() : new NdjsonReader();
  for await (const chunk of readStream(source.stream())) yield* rows.read(chunk);
  yield* rows.end();
}

function toPlantRow(line: number, { id, name, tag }: Record<string, unknown>): PlantRow {
  const toText = (value: unknown): string => (typeof value === 'string' ? value : '');
  return {
    line,
    id: typeof id === 'bigint' ? String(id) : toText(id),
    name: toText(name),
    tag: tag === undefined ? undefined : toText(tag),
  };
}

function toMembers(text: string): Record<string, unknown> {
  try {
    return Object(parseJson(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}
