/** `plant-store export`: plants to a file or standard output. A file is complete or not there. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConnectionError } from '../../client/errors.ts';
import type { ExportProgress } from '../../client/options.ts';
import { UsageError } from '../../config/usage-error.ts';
import { toJson } from '../../json/to-json.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand, stoppedExitCode, toStopSignal } from '../inputs/add-command.ts';
import { withClient, serviceOptions, type ServiceFlags } from '../inputs/service.ts';
import {
  confirm,
  type FilterFlags,
  filterOptions,
  toRowFormat,
  yesOption,
  type ConfirmFlags,
  toFormatOption,
} from '../inputs/values.ts';
import { Progress } from '../output/progress.ts';
import { toCount } from '../output/to-count.ts';
import type { Sink } from '../output/atomic-file.ts';

interface Given extends ServiceFlags, ConfirmFlags, FilterFlags {
  readonly format?: string;
  readonly json?: boolean;
  readonly byteOrderMark?: boolean;
}

export const exportCommand = defineCommand({
  name: 'export',
  summary: 'Export plants to CSV or NDJSON',
  description:
    'Export a consistent snapshot of the plants of a running service, ordered by id. Writes a temporary file beside FILE and renames it to FILE when complete, replacing an existing file, but never a database. Exit code 130: stopped.',
  argument: ['[file]', 'File to write; without it, or with -, standard output'],
  options: [
    toFormatOption('Format of the rows; default: by the ending .ndjson, .jsonl or .csv; ndjson on standard output'),
    ...filterOptions,
    ['--byte-order-mark', 'Begin CSV with a byte order mark, without which Excel does not read it as UTF-8'],
    yesOption,
    ['--json', 'Write one JSON object about the export to stderr'],
    ...serviceOptions,
  ],
  examples: [
    'plant-store export plants.csv',
    'plant-store export for-excel.csv --byte-order-mark',
    'plant-store export climbers.ndjson --tag climber',
    'plant-store export --format csv | gzip > plants.csv.gz',
  ],
  run: exportPlants,
});

async function exportPlants(given: Given, context: CommandContext, file = '-'): Promise<void> {
  const isFile = file !== '-';
  const mediaType = toRowFormat(given.format ?? (isFile ? undefined : 'ndjson'), file);
  if (isFile && statSync(resolve(context.cwd, file), { throwIfNoEntry: false })?.isFile() === true) {
    const { requireReplaceable } = await import('../output/atomic-file.ts');
    await requireReplaceable(file, context.cwd);
    await confirm(`Overwrite ${file}?`, given, context);
  }
  const signal = toStopSignal(context);
  const { tag, untagged, name, search, byteOrderMark } = given;
  const filter = { tag, untagged, name, search };
  if (byteOrderMark === true && mediaType !== 'text/csv')
    throw new UsageError('Cannot use --byte-order-mark: it is for CSV only');
  const progress = new Progress(context.stderr, () => context.now());
  /** What is left of an export that fails. */
  const outcome = isFile ? `${file} was not changed` : 'The output is incomplete';
  let exported: ExportProgress = { bytes: 0, rows: 0n };
  const onProgress = (arrived: ExportProgress): void => void (exported = arrived);
  try {
    await withClient(given, context, async (client) => {
      const stream = await client.exportBytes(mediaType, { ...filter, byteOrderMark, signal, onProgress });
      const sink = await openSink(file, context);
      try {
        for await (const chunk of stream) {
          if (!(await sink.write(chunk))) break;
          // Not between rows on a terminal.
          if (isFile || !context.stdout.isTTY) progress.update(exported);
        }
        await sink.finish();
      } catch (error) {
        await sink.discard();
        if (!(error instanceof ConnectionError)) throw error;
        throw new Error(`${error.message}. ${outcome}: run the same command again`, { cause: error });
      }
    });
  } catch (error) {
    progress.clear();
    if (!signal.aborted) throw error;
    context.stderr.write(`plant-store: Stopped. ${outcome}.\n`);
    context.setExitCode(stoppedExitCode);
    return;
  }
  progress.clear();
  if (given.json === true) context.stderr.write(`${toJson({ file, plants: exported.rows, bytes: exported.bytes })}\n`);
  else if (isFile) context.stderr.write(`Exported ${toCount(exported.rows, 'plant')} to ${file}\n`);
}

async function openSink(file: string, { stdout, cwd }: CommandContext): Promise<Sink> {
  if (file !== '-') {
    const { openWholeFile } = await import('../output/atomic-file.ts');
    return openWholeFile(file, cwd);
  }
  const nothing = (): Promise<void> => Promise.resolve();
  return { write: (bytes) => stdout.writeAll(bytes), finish: nothing, discard: nothing };
}
