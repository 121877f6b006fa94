/** `plant-store list`: plants of a running service, sorted by id. `export` is for all of them. */
import { Option } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { defineCommand } from '../inputs/add-command.ts';
import { withClient, serviceOptions, type ServiceFlags } from '../inputs/service.ts';
import { type FilterFlags, filterOptions, parseId, readLimit, takeUpTo, toLimitOption } from '../inputs/values.ts';
import { toJsonArray, toJsonLines } from '../output/json-text.ts';
import { toPlantTable } from '../output/show-plants.ts';

interface Given extends ServiceFlags, FilterFlags {
  readonly order?: 'asc' | 'desc';
  readonly above?: string;
  readonly below?: string;
  readonly limit: string;
  readonly json?: boolean;
}

export const listCommand = defineCommand({
  name: 'list',
  summary: 'List plants, sorted by id',
  description:
    'List plants of a running service, sorted by id: a table on a terminal, one JSON object a line elsewhere.',
  options: [
    ...filterOptions,
    new Option('--order <order>', 'Lowest id first, or highest id first').choices(['asc', 'desc']),
    ['--above <id>', 'Only plants with an id above this'],
    ['--below <id>', 'Only plants with an id below this'],
    toLimitOption('plants'),
    ['--json', 'Write one JSON array'],
    ...serviceOptions,
  ],
  examples: [
    'plant-store list',
    'plant-store list --search "iciosa climb"',
    'plant-store list --tag climber --name mon --limit 1000 --json',
    'plant-store list --order desc --below 1000000000 --limit 1',
  ],
  run: listPlants,
});

async function listPlants(given: Given, context: CommandContext): Promise<void> {
  const { tag, untagged, name, search, order, json = false } = given;
  const [above, below] = [given.above, given.below].map((id) => (id === undefined ? undefined : parseId(id)));
  const { stdout, stderr } = context;
  const limit = readLimit(given.limit);
  const { items: plants, hasMore } = await withClient(given, context, (client) =>
    takeUpTo(limit, (pageSize) => client.list({ tag, untagged, name, search, order, above, below, pageSize })),
  );
  if (json) stdout.write(toJsonArray(plants));
  else if (!stdout.isTTY) stdout.write(toJsonLines(plants));
  else if (plants.length === 0) stderr.write('No plants found.\n');
  else stdout.write(toPlantTable(plants, stdout.columns));
  if (hasMore) stderr.write('There are more plants: raise --limit, or use "plant-store export".\n');
}
