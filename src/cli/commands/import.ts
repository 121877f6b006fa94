/** `plant-store import`: its flags and what it tells. How rows reach the service, part by part, is the client's matter. */
import type { Command } from 'commander';
import { Option } from 'commander';
import type { ImportReport, PlantStoreError } from '../../client/client.ts';
import { emptyReport } from '../../client/import-parts.ts';
import { toJson } from '../../json/to-json.ts';
import type { CommandContext } from '../command-context.ts';
import { addConnection, type ConnectionFlags, withClient } from '../inputs/connection.ts';
import { openImportSource, type ImportFile, toImportFile } from '../inputs/import-source.ts';
import { Progress } from '../output/progress.ts';
import { formatNames } from '../inputs/row-format.ts';
import { stoppedExitCode, toStopSignal } from '../inputs/stop-signal.ts';
import { toCount } from '../output/to-count.ts';
import { UsageError } from '../usage-error.ts';

interface Given extends ConnectionFlags {
  readonly format?: string;
  readonly onConflict: 'fail' | 'skip' | 'replace';
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Some rows were refused; the others are stored. */
const refusedExitCode = 3;
/** The number of the error of a CSV file whose header line does not name the columns. */
const csvHeaderInvalid = 40016;
/** With back-off up to 5 seconds this rides out half a minute without a service: a restart, an upgrade. */
const retries = 15;

export function addImport(program: Command, context: CommandContext): void {
  const command = program
    .command('import')
    .description(
      'Import plants into a running service. A file is sent in parts, and a part again when the connection is cut. Running the same import again finishes one that was stopped. Exit code 3: some rows were refused, the others are stored; 130: stopped.',
    )
    .argument('<file...>', 'Files of plants; - is standard input')
    .addOption(
      new Option(
        '--format <format>',
        'How the rows are written; default: by the ending .ndjson, .jsonl or .csv',
      ).choices(formatNames),
    )
    .addOption(
      new Option('--on-conflict <action>', 'What to do with a row whose id belongs to another plant')
        .choices(['fail', 'skip', 'replace'])
        .default('fail', 'fail: that row is refused'),
    )
    .option('--dry-run', 'Store nothing, and tell what would be stored')
    .option('--json', 'Write one JSON report a file');
  addConnection(command)
    .addHelpText(
      'after',
      `
Examples:
  plant-store import plants.csv
  plant-store import more.ndjson even-more.ndjson --on-conflict replace
  zcat plants.csv.gz | plant-store import - --format csv --dry-run`,
    )
    .action((files: string[], given: Given) => importFiles(files, given, context));
}

async function importFiles(paths: readonly string[], given: Given, context: CommandContext): Promise<void> {
  if (paths.filter((path) => path === '-').length > 1) throw new UsageError(['Cannot import: - can be given once']);
  // Every file is looked at before the first is sent.
  const files = await Promise.all(paths.map((path) => toImportFile(path, given.format, context)));
  const signal = toStopSignal(context);
  const bytesKnown = files.every(({ size }) => size !== undefined);
  const totalBytes = bytesKnown ? files.reduce((sum, { size = 0 }) => sum + size, 0) : undefined;
  const progress = new Progress(context.stderr, () => context.now(), totalBytes);
  const told = { bytes: 0, rows: 0n };
  let exitCode = 0;
  for (const file of files) {
    const report = await importFile(file, given, context, { progress, told, signal });
    told.bytes += file.size ?? 0;
    told.rows += report.read;
    if (report.refused > 0n) exitCode = refusedExitCode;
    if (signal.aborted) break;
  }
  context.setExitCode(signal.aborted ? stoppedExitCode : exitCode);
}

interface Journey {
  readonly progress: Progress;
  /** Of the files before this one. */
  readonly told: { readonly bytes: number; readonly rows: bigint };
  readonly signal: AbortSignal;
}

/** Resolves to the report, be it of a file that was stopped. @throws Error that says how to go on. */
async function importFile(
  file: ImportFile,
  given: Given,
  context: CommandContext,
  { progress, told, signal }: Journey,
): Promise<ImportReport> {
  const { onConflict, dryRun = false, json = false } = given;
  let report = emptyReport;
  const goOn = toAdvice(file, dryRun);
  let firstLine = '';
  const onFirstLine = (text: string): void => void (firstLine = text);
  try {
    await withClient(
      given,
      context,
      (client) =>
        client.import(openImportSource(file, context, { signal, onFirstLine }), {
          mediaType: file.mediaType,
          onConflict,
          dryRun,
          signal,
          onProgress: (state) => {
            report = state.report;
            progress.update({ bytes: told.bytes + state.bytes, rows: told.rows + report.read });
          },
        }),
      {
        retries,
        onRetry: ({ delayMs, cause }) => {
          progress.clear();
          context.stderr.write(`plant-store: ${cause.message}; trying again in ${(delayMs / 1000).toFixed(1)} s\n`);
        },
      },
    );
  } catch (error) {
    progress.clear();
    if (error instanceof UsageError) throw error;
    if (report.read === 0n && !signal.aborted && !(await isPassing(error)))
      throw new Error(`Cannot import ${file.path}: ${messageOf(error)}${await toHint(error, firstLine)}`, {
        cause: error,
      });
    if (signal.aborted) context.stderr.write(`plant-store: Stopped. ${goOn}.\n`);
    tellReport(file.path, report, { dryRun, json }, context);
    if (signal.aborted) return report;
    throw new Error(`Cannot finish the import of ${file.path}: ${messageOf(error)}. ${goOn}`, { cause: error });
  }
  progress.clear();
  tellReport(file.path, report, { dryRun, json }, context);
  return report;
}

function toAdvice({ path }: ImportFile, dryRun: boolean): string {
  if (dryRun) return 'Nothing was stored: this was a dry run';
  const again = `${path === '-' ? 'give the same input to' : 'run'} the same command again`;
  return `The rows told below are stored. To go on, ${again}: rows that are stored count as unchanged`;
}

/** Whether the same import may succeed later: no usable answer came, or one that says so. */
async function isPassing(error: unknown): Promise<boolean> {
  const { ConnectionError } = await import('../../client/client.ts');
  const refusal = await toRefusal(error);
  return (
    error instanceof ConnectionError || (refusal !== undefined && /^(?:408|429|5..)$/.test(String(refusal.status)))
  );
}

/** What a spreadsheet of many countries writes in place of commas. */
async function toHint(error: unknown, firstLine: string): Promise<string> {
  const isHeaderFault = (await toRefusal(error))?.number === csvHeaderInvalid;
  return isHeaderFault && firstLine.includes(';') ? '. Its first line holds ";": columns are separated by commas' : '';
}

async function toRefusal(error: unknown): Promise<PlantStoreError | undefined> {
  const { PlantStoreError } = await import('../../client/client.ts');
  return error instanceof Error && error.cause instanceof PlantStoreError ? error.cause : undefined;
}

function tellReport(
  path: string,
  report: ImportReport,
  { dryRun, json }: { readonly dryRun: boolean; readonly json: boolean },
  { stdout, stderr }: CommandContext,
): void {
  for (const { line, error, message } of report.errors) stderr.write(`${path}:${line}: ${message} (error ${error})\n`);
  const untold = report.refused - BigInt(report.errors.length);
  if (untold > 0n) stderr.write(`${path}: ${toCount(untold, 'more row')} ${untold === 1n ? 'was' : 'were'} refused\n`);
  if (json) {
    stdout.write(`${toJson({ file: path, dryRun, ...report })}\n`);
    return;
  }
  const { read, created, unchanged, replaced, skipped, refused } = report;
  const counts = Object.entries({ created, unchanged, replaced, skipped, refused });
  const text = counts.map(([name, count]) => `${count.toLocaleString('en')} ${name}`).join(', ');
  stdout.write(`${path}: ${toCount(read, 'row')} read${dryRun ? ' in a dry run' : ''}: ${text}\n`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
