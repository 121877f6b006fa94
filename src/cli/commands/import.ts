/** `plant-store import`: its flags and its report. The client sends the rows, part by part. */
import { UsageError } from '../../config/usage-error.ts';
import { Option } from 'commander';
import type { ImportReport, ImportResult } from '../../client/client.ts';
import { ConnectionError, PlantStoreError } from '../../client/errors.ts';
import { emptyReport } from '../../client/import-parts.ts';
import { importPrefix, makeGroup } from '../../client/make-group.ts';
import { toJson } from '../../json/to-json.ts';
import { toSystemReason } from '../../system/system-error.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand, stoppedExitCode, toStopSignal } from '../inputs/add-command.ts';
import { withClient, isUnreached, serviceOptions, type ServiceFlags } from '../inputs/service.ts';
import { type ImportFile, keepChunks, openImportSource, toImportFile } from '../inputs/import-source.ts';
import { toFormatOption } from '../inputs/values.ts';
import { Progress } from '../output/progress.ts';
import { showRefused } from '../output/show-refused.ts';
import { toCount } from '../output/to-count.ts';
import { toPrintable } from '../output/to-printable.ts';
import { toUndoHint } from '../output/to-undo-hint.ts';
import { type CheckedInput, compareFiles } from './compare-files.ts';

interface Given extends ServiceFlags {
  readonly format?: string;
  readonly onConflict: 'fail' | 'skip' | 'replace';
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Some rows were refused; the others are stored. */
const refusedExitCode = 3;
/**
 * With back-off up to 5 seconds this bridges half a minute without a service: a restart, an
 * upgrade.
 */
const retries = 15;

export const importCommand = defineCommand({
  name: 'import',
  summary: 'Import plants from CSV or NDJSON',
  description:
    'Import plants into a running service. Files are sent in parts, and parts are retried. Run the same import again to continue one that was stopped. The last line says how to undo it. Exit code 3: some rows were refused, the others are stored; 130: stopped.',
  argument: ['<file...>', 'Files of plants; - is standard input'],
  options: [
    toFormatOption('Format of the rows; default: by the ending .ndjson, .jsonl or .csv'),
    new Option('--on-conflict <action>', 'What to do with a row whose id exists with another name or tag')
      .choices(['fail', 'skip', 'replace'])
      .default('fail', 'fail: refuse that row'),
    ['--dry-run', 'Report what the import would do; nothing is saved'],
    ['--json', 'Write one JSON report for each file'],
    ...serviceOptions,
  ],
  examples: [
    'plant-store import plants.csv',
    'plant-store import more.ndjson even-more.ndjson --on-conflict replace',
    'zcat plants.csv.gz | plant-store import - --format csv --dry-run',
  ],
  run: importFiles,
});

async function importFiles(given: Given, context: CommandContext, paths: readonly string[]): Promise<void> {
  if (paths.filter((path) => path === '-').length > 1) throw new UsageError('Cannot import: - can be given once');
  // All files are checked before the first is sent.
  const files = await Promise.all(paths.map((path) => toImportFile(path, given.format, context)));
  const signal = toStopSignal(context);
  const bytesKnown = files.every(({ size }) => size !== undefined);
  const totalBytes = bytesKnown ? files.reduce((sum, { size = 0 }) => sum + size, 0) : undefined;
  const progress = new Progress(context.stderr, () => context.now(), totalBytes);
  const done = { bytes: 0, rows: 0n, mayBeStored: false };
  const group = makeGroup(importPrefix);
  const checked: CheckedInput[] = [];
  let exitCode = 0;
  const end = (path: string, report: ImportResult): void => {
    printReport(path, report, given, context);
    if (report.refused > 0n) exitCode = refusedExitCode;
  };
  try {
    for (const file of files) {
      const kept: Uint8Array[] = [];
      const report = await importFile(file, given, context, { group, progress, done, signal, kept });
      done.bytes += file.size ?? 0;
      done.rows += report.read;
      if (signal.aborted) break;
      if (given.dryRun === true) checked.push({ file, kept, report });
      else end(file.path, report);
    }
    if (checked.length > 0 && !signal.aborted) {
      const reports = await compareFiles(checked, given, context, signal, retries);
      for (const [at, report] of reports.entries()) end(paths[at] ?? '', report);
    }
  } finally {
    if (done.mayBeStored && given.json !== true) context.stderr.write(toUndoHint(group));
  }
  context.setExitCode(signal.aborted ? stoppedExitCode : exitCode);
}

interface ImportRun {
  /** The group of the changes of all files: they are undone together. */
  readonly group: string;
  readonly progress: Progress;
  /** What the earlier files had; whether there may be something to undo. */
  readonly done: { readonly bytes: number; readonly rows: bigint; mayBeStored: boolean };
  readonly signal: AbortSignal;
  /** Gets what a dry run reads of an input that is no file. */
  readonly kept: Uint8Array[];
}

/** Resolves to the report, also of a stopped import. @throws Error that says how to continue. */
async function importFile(
  file: ImportFile,
  given: Given,
  context: CommandContext,
  { group, progress, done, signal, kept }: ImportRun,
): Promise<ImportResult> {
  const { onConflict, dryRun = false, json = false } = given;
  let report: ImportResult = { group, ...emptyReport };
  // Whether a request may have got to the service.
  let isReached = done.rows > 0n;
  // An input that stays open would keep a failed import from ending.
  const over = new AbortController();
  const source = openImportSource(file, context, AbortSignal.any([signal, over.signal]));
  try {
    await withClient(
      given,
      context,
      (client) =>
        client.import(dryRun && file.size === undefined ? keepChunks(source, kept) : source, {
          mediaType: file.mediaType,
          onConflict,
          dryRun,
          group,
          signal,
          onProgress: (state) => {
            report = state.report;
            isReached = true;
            done.mayBeStored ||= !dryRun && report.created + report.replaced > 0n;
            progress.update({ bytes: done.bytes + state.bytes, rows: done.rows + report.read });
          },
        }),
      {
        retries,
        onRetry: ({ attempt, cause }) => {
          // A service that has answered before comes back. Otherwise the address is probably wrong.
          if (!isReached && isUnreached(cause)) throw cause;
          isReached = true;
          progress.clear();
          // Report only the first retry.
          if (attempt === 1) context.stderr.write(`plant-store: ${toPrintable(cause.message)}; retrying\n`);
        },
      },
    );
  } catch (error) {
    progress.clear();
    if (error instanceof UsageError) throw error;
    const isHopeless = !isRetryable(error) || (!isReached && isUnreached(error));
    if (report.read === 0n && !signal.aborted && isHopeless)
      throw new Error(`Cannot import ${file.path}: ${toSystemReason(error)}`, {
        cause: error,
      });
    const hint = toResumeHint(file, dryRun, report);
    done.mayBeStored ||= !dryRun;
    if (signal.aborted) context.stderr.write(`plant-store: Stopped. ${hint}.\n`);
    // "0 rows read" would contradict the hint if the report confirms nothing.
    if (json || report.read > 0n) printReport(file.path, report, given, context);
    if (signal.aborted) return report;
    throw new Error(`Cannot finish the import of ${file.path}: ${toSystemReason(error)}. ${hint}`, { cause: error });
  } finally {
    over.abort();
  }
  progress.clear();
  return report;
}

function toResumeHint({ path }: ImportFile, dryRun: boolean, { read }: ImportReport): string {
  if (dryRun) return 'Nothing was saved: this was a dry run';
  const again = `${path === '-' ? 'give the same input to' : 'run'} the same command again`;
  const stored =
    read === 0n
      ? 'No rows were confirmed, but some may be stored'
      : 'The rows reported below are stored, and perhaps some after them';
  return `${stored}. To continue, ${again}: rows that are stored already count as unchanged`;
}

/** Whether the same import may succeed later. */
function isRetryable(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.kind !== 'response';
  const refusal = error instanceof Error ? error.cause : undefined;
  return refusal instanceof PlantStoreError && /^(?:408|429|5..)$/.test(String(refusal.status));
}

function printReport(
  path: string,
  report: ImportResult,
  { dryRun = false, json }: Given,
  { stdout, stderr }: CommandContext,
): void {
  showRefused(path, report, stderr);
  if (json === true) {
    stdout.write(`${toJson({ file: path, dryRun, ...report })}\n`);
    return;
  }
  const { read, created, unchanged, replaced, skipped, refused } = report;
  const outcomes = dryRun
    ? { 'would create': created, unchanged, 'would replace': replaced, 'would skip': skipped, 'would refuse': refused }
    : { created, unchanged, replaced, skipped, refused };
  const text = Object.entries(outcomes).map(([name, count]) => toOutcome(name, count.toLocaleString('en')));
  stdout.write(
    `${toPrintable(path)}: ${toCount(read, 'row')} read${dryRun ? ' in a dry run' : ''}: ${text.join(', ')}\n`,
  );
}

/** `2 created`, `would create 2`. */
function toOutcome(name: string, count: string): string {
  return name.startsWith('would ') ? `${name} ${count}` : `${count} ${name}`;
}
