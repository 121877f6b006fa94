/** `plant-store list`: plants of a running service, sorted by id. `export` is for all of them. */
import type { Command } from 'commander';
import { Option } from 'commander';
import type { StoredPlant } from '../../domain/schemas.ts';
import type { CommandContext } from '../command-context.ts';
import { addExamples } from '../inputs/add-examples.ts';
import { addConnection, type ConnectionFlags, withClient } from '../inputs/connection.ts';
import { toPlantForm, toPlantText } from '../output/show-plants.ts';
import { UsageError } from '../usage-error.ts';

interface Given extends ConnectionFlags {
  readonly tag?: string;
  readonly name?: string;
  readonly limit: string;
  readonly json?: boolean;
}

/** For more than this, use an export. */
const limitMax = 100_000;
/** Maximum of one page, as the description says. */
const pageSizeMax = 1_000;

export function addList(program: Command, context: CommandContext): void {
  const command = program
    .command('list')
    .summary('List plants, sorted by id')
    .description(
      'List plants of a running service, sorted by id: a table on a terminal, one JSON object a line elsewhere.',
    )
    .option('--tag <tag>', 'Only plants with exactly this tag; "" is the empty tag')
    .option('--name <words>', 'Only plants whose name has a word that begins with each of these')
    .addOption(new Option('--limit <number>', `Maximum number of plants, 1 to ${limitMax}`).default('100', '100'))
    .option('--json', 'Write one JSON array');
  addConnection(command).action((given: Given) => listPlants(given, context));
  addExamples(command, ['plant-store list', 'plant-store list --tag climber --name mon --limit 1000 --json']);
}

async function listPlants(given: Given, context: CommandContext): Promise<void> {
  const { tag, name } = given;
  const limit = /^[1-9]\d{0,5}$/.test(given.limit) ? Number(given.limit) : Infinity;
  if (limit > limitMax)
    throw new UsageError([
      `Cannot use --limit ${JSON.stringify(given.limit.slice(0, 80))}: must be an integer from 1 to ${limitMax}`,
    ]);
  const { plants, hasMore } = await withClient(given, context, async (client) => {
    const found: StoredPlant[] = [];
    const filter = { ...(tag === undefined ? {} : { tag }), ...(name === undefined ? {} : { name }) };
    for await (const plant of client.list({ ...filter, pageSize: Math.min(limit + 1, pageSizeMax) })) {
      if (found.length === limit) return { plants: found, hasMore: true };
      found.push(plant);
    }
    return { plants: found, hasMore: false };
  });
  const form = toPlantForm(context.stdout, given.json === true);
  if (plants.length === 0 && form === 'table') context.stderr.write('No plants found.\n');
  else context.stdout.write(toPlantText(plants, form, context.stdout.columns));
  if (hasMore) context.stderr.write('There are more plants: raise --limit, or use "plant-store export".\n');
}
