/** `plant-store export`: the whole store, or what fits a filter, into a file or to standard output. A file is there whole, or not at all. */
import type { Command } from 'commander';
import { Option } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { addConnection, type ConnectionFlags, withClient } from '../inputs/connection.ts';
import { Progress } from '../output/progress.ts';
import { formatNames, toRowFormat } from '../inputs/row-format.ts';
import { stoppedExitCode, toStopSignal } from '../inputs/stop-signal.ts';
import { toCount } from '../output/to-count.ts';
import type { Sink } from '../output/atomic-file.ts';

interface Given extends ConnectionFlags {
  readonly format?: string;
  readonly tag?: string;
  readonly name?: string;
}

export function addExport(program: Command, context: CommandContext): void {
  const command = program
    .command('export')
    .description(
      'Export the plants of a running service as they are at one moment, by id. The file is written beside its place as FILE.part and moved there when it is whole and on disk; an older one is replaced then. Exit code 130: stopped.',
    )
    .argument('[file]', 'File to write; without it, or with -, standard output')
    .addOption(
      new Option(
        '--format <format>',
        'How to write the rows; default: by the ending .ndjson, .jsonl or .csv, ndjson on standard output',
      ).choices(formatNames),
    )
    .option('--tag <tag>', 'Only plants with exactly this tag; "" is the empty one')
    .option('--name <words>', 'Only plants whose name has a word that begins with each of these');
  addConnection(command)
    .addHelpText(
      'after',
      `
Examples:
  plant-store export plants.csv
  plant-store export climbers.ndjson --tag climber
  plant-store export --format csv | gzip > plants.csv.gz`,
    )
    .action((file: string | undefined, given: Given) => exportPlants(file, given, context));
}

async function exportPlants(file = '-', given: Given, context: CommandContext): Promise<void> {
  const isFile = file !== '-';
  const mediaType = toRowFormat(given.format ?? (isFile ? undefined : 'ndjson'), file);
  const signal = toStopSignal(context);
  const { tag, name } = given;
  const filter = { ...(tag === undefined ? {} : { tag }), ...(name === undefined ? {} : { name }), signal };
  const progress = new Progress(context.stderr, () => context.now());
  const { RowScanner } = await import('../../rows/row-scanner.ts');
  const scanner = new RowScanner(mediaType === 'text/csv');
  let bytes = 0;
  const rows = (): bigint => BigInt(Math.max(0, scanner.rows - (mediaType === 'text/csv' ? 1 : 0)));
  try {
    await withClient(given, context, async (client) => {
      const stream = await client.exportBytes(mediaType, filter);
      const sink = await openSink(file, context);
      try {
        for await (const chunk of stream) {
          if (!(await sink.write(chunk))) break;
          scanner.scan(chunk);
          bytes += chunk.length;
          // Between the rows on a terminal a bar would be in the way.
          if (isFile || !context.stdout.isTTY) progress.update({ bytes, rows: rows() });
        }
        await sink.finish();
      } catch (error) {
        await sink.discard();
        throw error;
      }
    });
  } catch (error) {
    progress.clear();
    if (!signal.aborted) throw error;
    context.stderr.write(`plant-store: Stopped. ${isFile ? `${file} is as it was` : 'The output is not whole'}.\n`);
    context.setExitCode(stoppedExitCode);
    return;
  }
  progress.clear();
  if (isFile) context.stderr.write(`Exported ${toCount(rows(), 'plant')} to ${file}\n`);
}

async function openSink(file: string, { stdout, cwd }: CommandContext): Promise<Sink> {
  if (file !== '-') {
    const { openWholeFile } = await import('../output/atomic-file.ts');
    return openWholeFile(file, cwd);
  }
  const nothing = (): Promise<void> => Promise.resolve();
  return { write: (bytes) => stdout.writeAll(bytes), finish: nothing, discard: nothing };
}
