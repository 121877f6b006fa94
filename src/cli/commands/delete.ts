/** `plant-store delete`: deletes plants from a running service, one after the other. */
import type { Command } from 'commander';
import { toJson } from '../../json/to-json.ts';
import type { CommandContext } from '../command-context.ts';
import { addExamples } from '../inputs/add-examples.ts';
import { addConnection, type ConnectionFlags, withClient } from '../inputs/connection.ts';
import { addYes, confirm, type ConfirmFlags } from '../inputs/confirm.ts';
import { parseIds } from '../inputs/plant-id.ts';
import { toCount } from '../output/to-count.ts';

interface Given extends ConnectionFlags, ConfirmFlags {
  readonly json?: boolean;
}

export function addDelete(program: Command, context: CommandContext): void {
  const command = program
    .command('delete')
    .summary('Delete plants')
    .description('Delete plants from a running service. Ids that do not exist are reported and the exit code is 1.')
    .argument('<id...>', 'The ids of the plants')
    .option('--json', 'Write one JSON object a line');
  addYes(command);
  addConnection(command).action((ids: string[], given: Given) => deletePlants(ids, given, context));
  addExamples(command, ['plant-store delete 7', 'plant-store delete 7 8 9007199254740993 --yes']);
}

async function deletePlants(texts: readonly string[], given: Given, context: CommandContext): Promise<void> {
  const ids = parseIds(texts);
  if (ids.length > 1) await confirm(`Delete ${toCount(ids.length, 'plant')}?`, given, context);
  await withClient(given, context, async (client) => {
    for (const id of ids) {
      const deleted = await client.delete(id);
      if (given.json === true) context.stdout.write(`${toJson({ id, deleted })}\n`);
      else if (deleted) context.stdout.write(`Deleted plant ${id}\n`);
      if (deleted) continue;
      context.stderr.write(`plant-store: Cannot delete plant ${id}: no plant has this id\n`);
      context.setExitCode(1);
    }
  });
}
