/** `plant-store history`: the changes of one plant of a running service, newest first. */
import { errors } from '../../domain/error-registry.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand } from '../inputs/add-command.ts';
import { withClient, serviceOptions, type ServiceFlags } from '../inputs/service.ts';
import { parseId, readLimit, takeUpTo, toLimitOption } from '../inputs/values.ts';
import { toChangeLine, toHistoryTable } from '../output/show-changes.ts';

interface Given extends ServiceFlags {
  readonly limit: string;
  readonly json?: boolean;
}

export const historyCommand = defineCommand({
  name: 'history',
  summary: 'Show the changes of one plant',
  description:
    'Show the changes of one plant, newest first, also of a deleted plant: a table on a terminal, one JSON object a line elsewhere. Times are UTC.',
  argument: ['<id>', 'The id of the plant'],
  options: [
    toLimitOption('changes'),
    ['--json', 'Write one JSON object a line, also on a terminal'],
    ...serviceOptions,
  ],
  examples: [
    'plant-store history 7',
    'plant-store history 7 --limit 1 --json',
    'plant-store history -- -9223372036854775808',
  ],
  run: showHistory,
});

async function showHistory(given: Given, context: CommandContext, text: string): Promise<void> {
  const { stdout, stderr } = context;
  const id = parseId(text);
  const limit = readLimit(given.limit);
  const absent = `Cannot show the history of plant ${id}: no plant has this id, and no change of one is kept`;
  const { items: changes, hasMore } = await withClient(
    given,
    context,
    (client) => takeUpTo(limit, (pageSize) => client.history(id, { pageSize })),
    { refusals: { [errors.plant_unknown.number]: absent } },
  );
  const isTable = stdout.isTTY && given.json !== true;
  if (changes.length === 0) stderr.write(`No changes of plant ${id} are kept.\n`);
  else stdout.write(isTable ? toHistoryTable(changes, stdout.columns) : changes.map(toChangeLine).join(''));
  if (hasMore) stderr.write('There are more changes: raise --limit.\n');
}
