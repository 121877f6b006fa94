/** `plant-store patch`: changes the name or the tag of one plant of a running service. */
import { UsageError } from '../../config/usage-error.ts';
import { type EachField, pickPatch } from '../../domain/plant.ts';
import type { PlantPatch } from '../../domain/schemas.ts';
import { toJson } from '../../json/to-json.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand } from '../inputs/add-command.ts';
import { withClient, toRefusals, serviceOptions, type ServiceFlags } from '../inputs/service.ts';
import { checkIfMatch, parseId, refuseBothTags } from '../inputs/values.ts';

interface Given extends ServiceFlags {
  readonly name?: string;
  /** false: `--no-tag`. */
  readonly tag?: string | false;
  readonly ifMatch?: string;
  readonly json?: boolean;
}

export const patchCommand = defineCommand({
  name: 'patch',
  summary: 'Change the name or the tag of one plant',
  description: 'Change only the given fields of one plant in a running service.',
  argument: ['<id>', 'The id of the plant'],
  options: [
    ['--name <name>', 'The new name'],
    ['--tag <tag>', 'The new tag; "" is the empty tag'],
    ['--no-tag', 'Remove the tag'],
    ['--if-match <etag>', 'Only if the plant still is this version, as "get" shows it'],
    ['--json', 'Write one JSON object, also on a terminal'],
    ...serviceOptions,
  ],
  examples: ['plant-store patch 7 --tag climber', `plant-store patch 7 --no-tag --if-match '"u7yW3P1hYdY3pCBSRzZt1w"'`],
  prepare: refuseBothTags,
  run: patchPlant,
});

async function patchPlant(given: Given, context: CommandContext, text: string): Promise<void> {
  const id = parseId(text);
  const { name, tag, ifMatch } = given;
  checkIfMatch(ifMatch);
  const values: EachField<unknown> = { name, tag: tag === false ? null : tag };
  const patch = pickPatch(values as PlantPatch);
  if (Object.keys(patch).length === 0)
    throw new UsageError('Cannot patch plant: give at least one of --name, --tag and --no-tag');
  const { plant, etag } = await withClient(given, context, (client) => client.patch(id, patch, { ifMatch }), {
    refusals: toRefusals('patch', id, ifMatch),
  });
  const isText = context.stdout.isTTY && given.json !== true;
  context.stdout.write(isText ? `Updated plant ${id}. Its ETag is ${etag}\n` : `${toJson({ ...plant, etag })}\n`);
}
