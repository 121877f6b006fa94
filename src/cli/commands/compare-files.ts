/** The reports of `import --dry-run` as the import will end: rows are compared with earlier rows, too. */
import type { ImportResult } from '../../client/client.ts';
import { compareRows } from '../../client/compare-rows.ts';
import type { CommandContext } from '../command-context.ts';
import { type ImportFile, toBlob } from '../inputs/import-source.ts';
import { type ServiceFlags, withClient } from '../inputs/service.ts';
import { toCount } from '../output/to-count.ts';

export interface CheckedInput {
  readonly file: ImportFile;
  /** What was read of an input that is no file. */
  readonly kept: readonly Uint8Array[];
  readonly report: ImportResult;
}

/** Resolves to none once the signal is aborted. */
export async function compareFiles(
  checked: readonly CheckedInput[],
  given: ServiceFlags & { readonly onConflict: 'fail' | 'skip' | 'replace' },
  context: CommandContext,
  signal: AbortSignal,
  retries: number,
): Promise<readonly ImportResult[]> {
  const note = (text: string): void => context.stderr.write(`plant-store: ${text}\n`);
  const files = await Promise.all(
    checked.map(async ({ file, kept, report }) => {
      const source = await toBlob(file, kept, context);
      return source && { source, mediaType: file.mediaType, report };
    }),
  );
  const known = files.filter((file) => file !== undefined);
  if (known.length < files.length) {
    note('Rows were compared with the stored plants only: the input has more than 256 MB; save it as a file first');
    return checked.map(({ report }) => report);
  }
  const { onConflict } = given;
  const compared = await withClient(given, context, (client) => compareRows(client, known, { onConflict, signal }), {
    retries,
  }).catch((error: unknown) => {
    if (signal.aborted) return undefined;
    throw error;
  });
  if (compared === undefined || signal.aborted) return [];
  const { reports, repeated } = compared;
  if (!repeated.isWhole) note('Rows after the first 1,000,000 were compared with the stored plants only');
  if (repeated.ids.size > 0 && repeated.again === undefined)
    note(
      `Rows were compared with the stored plants only, but ids are there more than once: ${toCount(repeated.ids.size, 'id')}. A comparison needs a token with plants:read, at most 10,000 such rows, and at most 1,000 refused ones`,
    );
  return reports.map((report) => ({
    ...report,
    errors: report.errors.map((row) => (row.message === '' ? { ...row, message: takenEarlier } : row)),
  }));
}

const takenEarlier = 'Cannot store plant: an earlier row has this id, with a different name or tag';
