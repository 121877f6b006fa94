/** `plant-store get`: one plant of a running service. */
import type { Command } from 'commander';
import { toJson } from '../../json/to-json.ts';
import type { CommandContext } from '../command-context.ts';
import { addExamples } from '../inputs/add-examples.ts';
import { addConnection, type ConnectionFlags, withClient } from '../inputs/connection.ts';
import { parseId } from '../inputs/plant-id.ts';
import { toPlantTable } from '../output/show-plants.ts';

interface Given extends ConnectionFlags {
  readonly json?: boolean;
}

export function addGet(program: Command, context: CommandContext): void {
  const command = program
    .command('get')
    .summary('Show one plant')
    .description(
      'Show one plant of a running service, with its ETag: a table on a terminal, one JSON object elsewhere.',
    )
    .argument('<id>', 'The id of the plant')
    .option('--json', 'Write one JSON object, also on a terminal');
  addConnection(command).action((id: string, given: Given) => getPlant(id, given, context));
  addExamples(command, [
    'plant-store get 7',
    'plant-store get -- -9223372036854775808',
    'plant-store get 7 --url https://plants.example.org --token-file token --json',
  ]);
}

async function getPlant(text: string, given: Given, context: CommandContext): Promise<void> {
  const id = parseId(text);
  const found = await withClient(given, context, (client) => client.get(id));
  if (found === undefined) throw new Error(`Cannot find plant ${id}: no plant has this id`);
  const { stdout } = context;
  const shown = { ...found.plant, etag: found.etag };
  const isTable = stdout.isTTY && given.json !== true;
  stdout.write(isTable ? toPlantTable([shown], stdout.columns) : `${toJson(shown)}\n`);
}
