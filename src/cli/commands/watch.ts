/** `plant-store watch`: shows changes as they happen, until it is stopped. */
import { Option } from 'commander';
import type { Change } from '../../client/client.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand } from '../inputs/add-command.ts';
import { serviceOptions } from '../inputs/service.ts';
import { parseIds } from '../inputs/values.ts';
import { afterOption, watchChanges, type FollowFlags } from '../inputs/watch-changes.ts';
import { toChangeHead, toChangeLine, toChangeRow } from '../output/show-changes.ts';

interface Given extends FollowFlags {
  readonly id?: readonly string[];
  readonly tag?: string;
  readonly kind?: Change['kind'];
  readonly json?: boolean;
}

export const watchCommand = defineCommand({
  name: 'watch',
  summary: 'Show changes as they happen',
  description:
    'Show changes of plants as they happen: a table on a terminal, one JSON object a line elsewhere. Times are UTC. Waits through restarts of the service and continues where it was. Press Ctrl-C to stop.',
  options: [
    afterOption,
    ['--id <id...>', 'Only changes of these plants, at most 100'],
    ['--tag <tag>', 'Only changes of plants that have exactly this tag, or had it before; "" is the empty tag'],
    new Option('--kind <kind>', 'Only changes of this kind').choices(['created', 'replaced', 'deleted']),
    ['--json', 'Write one JSON object a line, also on a terminal'],
    ...serviceOptions,
  ],
  examples: [
    'plant-store watch',
    'plant-store watch --tag climber --kind deleted',
    'plant-store watch --after oldest > changes.ndjson',
  ],
  run: showChanges,
});

function showChanges({ id, tag, kind, json = false, ...flags }: Given, context: CommandContext): Promise<void> {
  const filter = { id: id && parseIds(id), tag, kind };
  return watchChanges(flags, context, { filter, verb: 'Following', take: toWriter(json, context) });
}

/** Resolves to false if nobody reads any more. */
function toWriter(json: boolean, { stdout }: CommandContext): (change: Change) => Promise<boolean> {
  const isTable = stdout.isTTY && !json;
  let isFirst = true;
  return (change) => {
    const head = isTable && isFirst ? toChangeHead(stdout.columns) : '';
    isFirst = false;
    const text = isTable ? toChangeRow(change, stdout.columns) : toChangeLine(change);
    return stdout.writeAll(new TextEncoder().encode(head + text));
  };
}
