/** How the rows of a file are written: said by the user, or by the ending of its name. */
import type { RowFormat } from '../../client/client.ts';
import { UsageError } from '../usage-error.ts';

const formats: Readonly<Record<string, RowFormat>> = {
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  csv: 'text/csv',
};

/** What `--format` takes. */
export const formatNames = ['ndjson', 'csv'] as const;

/** @throws UsageError when neither of the two names a format. */
export function toRowFormat(format: string | undefined, file: string): RowFormat {
  const name = format ?? /\.([^./\\]+)$/.exec(file)?.[1]?.toLowerCase();
  const found = formats[name ?? ''];
  if (found === undefined)
    throw new UsageError([
      `Cannot tell the format of ${file === '-' ? 'standard input' : file}: give --format ndjson or csv`,
    ]);
  return found;
}
