/** `plant-store put`: creates or replaces one plant in a running service. */
import type { Command } from 'commander';
import { toPlant } from '../../domain/plant.ts';
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
  readonly createOnly?: boolean;
  readonly json?: boolean;
}

export function addPut(program: Command, context: CommandContext): void {
  const command = program
    .command('put')
    .summary('Create or replace one plant')
    .description(
      'Create or replace one plant in a running service. It replaces the whole plant: without --tag it then has no tag.',
    )
    .argument('<id>', 'The id of the plant')
    .option('--name <name>', 'Its name (required)');
  addTagFlags(command, 'Its tag; "" is the empty tag', 'No tag, as without --tag')
    .option('--if-match <etag>', 'Only if the plant still is this version, as "get" shows it; * is any')
    .option('--create-only', 'Only if no plant has this id')
    .option('--json', 'Write one JSON object, also on a terminal');
  addConnection(command).action((id: string, given: Given) => putPlant(id, given, context));
  addExamples(command, [
    'plant-store put 7 --name Monstera --tag climber',
    `plant-store put 7 --name Monstera --no-tag --if-match '"u7yW3P1hYdY3pCBSRzZt1w"'`,
    'plant-store put 8 --name Basil --create-only',
  ]);
}

async function putPlant(text: string, given: Given, context: CommandContext): Promise<void> {
  const id = parseId(text);
  const { name, tag, ifMatch, createOnly = false } = given;
  checkIfMatch(ifMatch);
  if (name === undefined) throw new UsageError(['Cannot put plant: --name is missing']);
  if (createOnly && ifMatch !== undefined)
    throw new UsageError(['Cannot put plant: --create-only and --if-match exclude each other']);
  const plant = toPlant({ name, tag: tag === false ? undefined : tag });
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
