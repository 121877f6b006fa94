/**
 * Makes of the figures of a check, which count rows, those of plants. The service compares each row with what is stored: what it says of the
 * later rows of an id is taken out.
 */
import type { ImportReport, PlantClient } from '../../../src/client/client.ts';
import { emptyReport } from '../../../src/client/import-parts.ts';
import { plantIdTaken } from '../../../src/domain/error-numbers.ts';
import type { ImportState } from './import-state.ts';
import { readRows, toRowsFile } from './read-rows.ts';
import { examineRows } from './examine-rows.ts';

/** Rows of repeated ids that are checked once more; with more of them, the figures count each row. */
const laterMax = 10_000;

export async function countIds(
  client: Pick<PlantClient, 'import'>,
  signal: AbortSignal,
  { chosen: { source, format }, rule: onConflict }: Pick<Required<ImportState>, 'chosen' | 'rule'>,
  report: ImportReport,
): Promise<Partial<ImportState>> {
  const bad = report.errors.filter(({ error }) => error !== plantIdTaken).map(({ line }) => Number(line));
  const repeated = await examineRows(source, format, signal, new Set(bad));
  if (repeated.later.length > laterMax) return { report, repeated };
  const rows = await readRows(source, format, repeated.later);
  const { read, refused, created, unchanged, replaced, skipped } =
    rows.size === 0
      ? emptyReport
      : await client.import(await toRowsFile(source, format, rows), {
          mediaType: format,
          onConflict,
          dryRun: true,
          signal,
        });
  return {
    report: {
      ...report,
      created: report.created - created,
      unchanged: report.unchanged - unchanged,
      replaced: report.replaced - replaced,
      skipped: report.skipped - skipped,
    },
    repeated: { ...repeated, rows: read - refused },
  };
}
