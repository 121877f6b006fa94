/** `plant-store get`: one plant of a running service. */
import { toJson } from '../../json/to-json.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand } from '../inputs/add-command.ts';
import { serviceOptions, type ServiceFlags, toAbsent, withClient } from '../inputs/service.ts';
import { parseId } from '../inputs/values.ts';
import { toPlantTable } from '../output/show-plants.ts';

interface Given extends ServiceFlags {
  readonly json?: boolean;
}

export const getCommand = defineCommand({
  name: 'get',
  summary: 'Show one plant',
  description: 'Show one plant of a running service, with its ETag: a table on a terminal, one JSON object elsewhere.',
  argument: ['<id>', 'The id of the plant'],
  options: [['--json', 'Write one JSON object, also on a terminal'], ...serviceOptions],
  examples: [
    'plant-store get 7',
    'plant-store get -- -9223372036854775808',
    'plant-store get 7 --url https://plants.example.org --token-file token --json',
  ],
  run: getPlant,
});

async function getPlant(given: Given, context: CommandContext, text: string): Promise<void> {
  const id = parseId(text);
  const found = await withClient(given, context, (client) => client.get(id));
  if (found === undefined) throw new Error(toAbsent('find', id));
  const { stdout } = context;
  const shown = { ...found.plant, etag: found.etag };
  const isTable = stdout.isTTY && given.json !== true;
  stdout.write(isTable ? toPlantTable([shown], stdout.columns) : `${toJson(shown)}\n`);
}
