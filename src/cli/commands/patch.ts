/** `plant-store patch`: changes the name or the tag of one plant of a running service. */
import type { Command } from 'commander';
import { type EachField, pickPatch } from '../../domain/plant.ts';
import type { PlantPatch } from '../../domain/schemas.ts';
import { toJson } from '../../json/to-json.ts';
import type { CommandContext } from '../command-context.ts';
import { addExamples } from '../inputs/add-examples.ts';
import { addConnection, type ConnectionFlags, withClient } from '../inputs/connection.ts';
import { toRefusals } from '../inputs/explain-failure.ts';
import { checkIfMatch } from '../inputs/if-match.ts';
import { parseId } from '../inputs/plant-id.ts';
import { addTagFlags } from '../inputs/tag-flags.ts';
import { UsageError } from '../usage-error.ts';

interface Given extends ConnectionFlags {
  readonly name?: string;
  /** false: `--no-tag`. */
  readonly tag?: string | false;
  readonly ifMatch?: string;
  readonly json?: boolean;
}

export function addPatch(program: Command, context: CommandContext): void {
  const command = program
    .command('patch')
    .summary('Change the name or the tag of one plant')
    .description('Change only the given fields of one plant in a running service.')
    .argument('<id>', 'The id of the plant')
    .option('--name <name>', 'The new name');
  addTagFlags(command, 'The new tag; "" is the empty tag', 'Remove the tag')
    .option('--if-match <etag>', 'Only if the plant still is this version, as "get" shows it')
    .option('--json', 'Write one JSON object, also on a terminal');
  addConnection(command).action((id: string, given: Given) => patchPlant(id, given, context));
  addExamples(command, [
    'plant-store patch 7 --tag climber',
    `plant-store patch 7 --no-tag --if-match '"u7yW3P1hYdY3pCBSRzZt1w"'`,
  ]);
}

async function patchPlant(text: string, given: Given, context: CommandContext): Promise<void> {
  const id = parseId(text);
  const { name, tag, ifMatch } = given;
  checkIfMatch(ifMatch);
  const values: EachField<unknown> = { name, tag: tag === false ? null : tag };
  const patch = pickPatch(values as PlantPatch);
  if (Object.keys(patch).length === 0)
    throw new UsageError(['Cannot patch plant: give at least one of --name, --tag and --no-tag']);
  const { plant, etag } = await withClient(given, context, (client) => client.patch(id, patch, { ifMatch }), {
    refusals: toRefusals('patch', id, ifMatch),
  });
  const isText = context.stdout.isTTY && given.json !== true;
  context.stdout.write(isText ? `Updated plant ${id}. Its ETag is ${etag}\n` : `${toJson({ ...plant, etag })}\n`);
}
