/** `plant-store put`: creates or replaces one plant in a running service. */
import { UsageError } from '../../config/usage-error.ts';
import { type PlantValues, toPlant } from '../../domain/plant.ts';
import { toJson } from '../../json/to-json.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand } from '../inputs/add-command.ts';
import { type FieldFlags, type FieldOptions, readFields } from '../inputs/plant-fields.ts';
import { withClient, toRefusals, serviceOptions, type ServiceFlags } from '../inputs/service.ts';
import { checkIfMatch, parseId, refuseContradictions } from '../inputs/values.ts';

interface Given extends ServiceFlags, FieldFlags {
  readonly ifMatch?: string;
  readonly createOnly?: boolean;
  readonly json?: boolean;
}

const fieldOptions: FieldOptions = {
  name: [['--name <name>', 'Its name (required)']],
  tag: [
    ['--tag <tag>', 'Its tag; "" is the empty tag'],
    ['--no-tag', 'No tag, as without --tag'],
  ],
};

export const putCommand = defineCommand({
  name: 'put',
  summary: 'Create or replace one plant',
  description:
    'Create or replace one plant in a running service. It replaces the whole plant: an optional field that is not given is removed.',
  argument: ['<id>', 'The id of the plant'],
  options: [
    ...Object.values(fieldOptions).flat(),
    ['--if-match <etag>', 'Only if the plant still is this version, as "get" shows it; * is any'],
    ['--create-only', 'Only if no plant has this id'],
    ['--json', 'Write one JSON object, also on a terminal'],
    ...serviceOptions,
  ],
  examples: [
    'plant-store put 7 --name Monstera --tag climber',
    `plant-store put 7 --name Monstera --no-tag --if-match '"u7yW3P1hYdY3pCBSRzZt1w"'`,
    'plant-store put 8 --name Basil --create-only',
  ],
  prepare: refuseContradictions,
  run: putPlant,
});

async function putPlant(given: Given, context: CommandContext, text: string): Promise<void> {
  const id = parseId(text);
  const { name, ifMatch, createOnly = false } = given;
  checkIfMatch(ifMatch);
  if (name === undefined) throw new UsageError('Cannot put plant: --name is missing');
  if (createOnly && ifMatch !== undefined)
    throw new UsageError('Cannot put plant: --create-only and --if-match exclude each other');
  const plant = toPlant(readFields(given) as PlantValues);
  const {
    outcome,
    etag,
    plant: stored,
  } = await withClient(given, context, (client) => client.put(id, plant, { ifMatch, createOnly }), {
    refusals: toRefusals('put', id, ifMatch),
  });
  const isText = context.stdout.isTTY && given.json !== true;
  context.stdout.write(
    isText ? `${toSentence(outcome, id)}. Its ETag is ${etag}\n` : `${toJson({ ...stored, etag, outcome })}\n`,
  );
}

function toSentence(outcome: 'created' | 'replaced' | 'unchanged', id: bigint): string {
  if (outcome === 'unchanged') return `Plant ${id} is unchanged`;
  return `${outcome === 'created' ? 'Created' : 'Replaced'} plant ${id}`;
}
