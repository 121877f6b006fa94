/** `plant-store history`: the changes of one plant of a running service, newest first. */
import type { Command } from 'commander';
import { Option } from 'commander';
import type { Change, PlantClient } from '../../client/client.ts';
import { errors } from '../../domain/error-registry.ts';
import type { CommandContext } from '../command-context.ts';
import { addExamples } from '../inputs/add-examples.ts';
import { addConnection, type ConnectionFlags, withClient } from '../inputs/connection.ts';
import { parseIds } from '../inputs/plant-id.ts';
import { toChangeLine, toHistoryTable } from '../output/show-changes.ts';
import { UsageError } from '../usage-error.ts';

interface Given extends ConnectionFlags {
  readonly limit: string;
  readonly json?: boolean;
}

const limitMax = 100_000;
/** Maximum of one page, as the description says. */
const pageSizeMax = 1_000;

export function addHistory(program: Command, context: CommandContext): void {
  const command = program
    .command('history')
    .summary('Show the changes of one plant')
    .description(
      'Show the changes of one plant, newest first, also of a deleted plant: a table on a terminal, one JSON object a line elsewhere. Times are UTC.',
    )
    .argument('<id>', 'The id of the plant')
    .addOption(new Option('--limit <number>', `Maximum number of changes, 1 to ${limitMax}`).default('100', '100'))
    .option('--json', 'Write one JSON object a line, also on a terminal');
  addConnection(command).action((id: string, given: Given) => showHistory(id, given, context));
  addExamples(command, [
    'plant-store history 7',
    'plant-store history 7 --limit 1 --json',
    'plant-store history -- -9223372036854775808',
  ]);
}

async function showHistory(text: string, given: Given, context: CommandContext): Promise<void> {
  const { stdout, stderr } = context;
  const [id = 0n] = parseIds([text]);
  const limit = /^[1-9]\d{0,5}$/.test(given.limit) ? Number(given.limit) : Infinity;
  if (limit > limitMax)
    throw new UsageError([
      `Cannot use --limit ${JSON.stringify(given.limit.slice(0, 80))}: must be an integer from 1 to ${limitMax}`,
    ]);
  const absent = `Cannot show the history of plant ${id}: no plant has this id, and no change of one is kept`;
  const readChanges = async (client: PlantClient) => {
    const found: Change[] = [];
    for await (const change of client.history(id, { pageSize: Math.min(limit + 1, pageSizeMax) })) {
      if (found.length === limit) return { changes: found, hasMore: true };
      found.push(change);
    }
    return { changes: found, hasMore: false };
  };
  const { changes, hasMore } = await withClient(given, context, readChanges, {
    refusals: { [errors.plant_unknown.number]: absent },
  });
  const isTable = stdout.isTTY && given.json !== true;
  if (changes.length === 0) stderr.write(`No changes of plant ${id} are kept.\n`);
  else stdout.write(isTable ? toHistoryTable(changes, stdout.columns) : changes.map(toChangeLine).join(''));
  if (hasMore) stderr.write('There are more changes: raise --limit.\n');
}
