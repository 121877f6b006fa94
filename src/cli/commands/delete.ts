/** `plant-store delete`: deletes plants from a running service, one after the other. */
import { toJson } from '../../json/to-json.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand } from '../inputs/add-command.ts';
import { serviceOptions, type ServiceFlags, toAbsent, withClient } from '../inputs/service.ts';
import { confirm, parseIds, yesOption, type ConfirmFlags } from '../inputs/values.ts';
import { toCount } from '../output/to-count.ts';

interface Given extends ServiceFlags, ConfirmFlags {
  readonly json?: boolean;
}

export const deleteCommand = defineCommand({
  name: 'delete',
  summary: 'Delete plants',
  description: 'Delete plants from a running service. Ids that do not exist are reported and the exit code is 1.',
  argument: ['<id...>', 'The ids of the plants'],
  options: [['--json', 'Write one JSON object a line'], yesOption, ...serviceOptions],
  examples: ['plant-store delete 7', 'plant-store delete 7 8 9007199254740993 --yes'],
  run: deletePlants,
});

async function deletePlants(given: Given, context: CommandContext, texts: readonly string[]): Promise<void> {
  const ids = parseIds(texts);
  await confirm(`Delete ${toCount(ids.length, 'plant')}?`, given, context);
  await withClient(given, context, async (client) => {
    for (const id of ids) {
      const deleted = await client.delete(id);
      if (given.json === true) context.stdout.write(`${toJson({ id, deleted })}\n`);
      else if (deleted) context.stdout.write(`Deleted plant ${id}\n`);
      if (deleted) continue;
      context.stderr.write(`plant-store: ${toAbsent('delete', id)}\n`);
      context.setExitCode(1);
    }
  });
}
