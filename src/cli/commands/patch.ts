/** `plant-store patch`: changes fields of one plant of a running service. */
import { UsageError } from '../../config/usage-error.ts';
import { pickPatch } from '../../domain/plant.ts';
import type { PlantPatch } from '../../domain/schemas.ts';
import { toJson } from '../../json/to-json.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand } from '../inputs/add-command.ts';
import { type FieldFlags, type FieldOptions, readFields, toFlagList } from '../inputs/plant-fields.ts';
import { withClient, toRefusals, serviceOptions, type ServiceFlags } from '../inputs/service.ts';
import { checkIfMatch, parseId, refuseContradictions } from '../inputs/values.ts';

interface Given extends ServiceFlags, FieldFlags {
  readonly ifMatch?: string;
  readonly json?: boolean;
}

const fieldOptions: FieldOptions = {
  name: [['--name <name>', 'The new name']],
  tag: [
    ['--tag <tag>', 'The new tag; "" is the empty tag'],
    ['--no-tag', 'Remove the tag'],
  ],
};

export const patchCommand = defineCommand({
  name: 'patch',
  summary: 'Change single fields of one plant',
  description: 'Change only the given fields of one plant in a running service.',
  argument: ['<id>', 'The id of the plant'],
  options: [
    ...Object.values(fieldOptions).flat(),
    ['--if-match <etag>', 'Only if the plant still is this version, as "get" shows it'],
    ['--json', 'Write one JSON object, also on a terminal'],
    ...serviceOptions,
  ],
  examples: ['plant-store patch 7 --tag climber', `plant-store patch 7 --no-tag --if-match '"u7yW3P1hYdY3pCBSRzZt1w"'`],
  prepare: refuseContradictions,
  run: patchPlant,
});

async function patchPlant(given: Given, context: CommandContext, text: string): Promise<void> {
  const id = parseId(text);
  const { ifMatch } = given;
  checkIfMatch(ifMatch);
  const patch = pickPatch(readFields(given) as PlantPatch);
  if (Object.keys(patch).length === 0)
    throw new UsageError(`Cannot patch plant: give at least one of ${toFlagList(fieldOptions)}`);
  const { plant, etag } = await withClient(given, context, (client) => client.patch(id, patch, { ifMatch }), {
    refusals: toRefusals('patch', id, ifMatch),
  });
  const isText = context.stdout.isTTY && given.json !== true;
  context.stdout.write(isText ? `Updated plant ${id}. Its ETag is ${etag}\n` : `${toJson({ ...plant, etag })}\n`);
}
