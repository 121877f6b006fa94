/** `plant-store watch`: shows changes as they happen, until it is stopped. The client follows the change log. */
import type { Command } from 'commander';
import { Option } from 'commander';
import type { Change, PlantClient } from '../../client/client.ts';
import type { CommandContext } from '../command-context.ts';
import { addConnection, type ConnectionFlags, withClient } from '../inputs/connection.ts';
import { parseIds } from '../inputs/plant-id.ts';
import { toStopSignal } from '../inputs/stop-signal.ts';
import { toChangeHead, toChangeLine, toChangeRow } from '../output/show-changes.ts';

interface Given extends ConnectionFlags {
  readonly after: string;
  readonly id?: string;
  readonly tag?: string;
  readonly kind?: Change['kind'];
  readonly json?: boolean;
}

export function addWatch(program: Command, context: CommandContext): void {
  const command = program
    .command('watch')
    .summary('Show changes as they happen')
    .description(
      'Show changes of plants as they happen: a table on a terminal, one JSON object a line elsewhere. Times are UTC. Waits through restarts of the service and continues where it was. Press Ctrl-C to stop.',
    )
    .addOption(
      new Option(
        '--after <position>',
        'Start after the change with this position; now: with the next change; oldest: with the oldest change that is kept',
      ).default('now', 'now'),
    )
    .option('--id <id>', 'Only changes of this plant')
    .option('--tag <tag>', 'Only changes of plants that have exactly this tag, or had it before; "" is the empty tag')
    .addOption(new Option('--kind <kind>', 'Only changes of this kind').choices(['created', 'replaced', 'deleted']))
    .option('--json', 'Write one JSON object a line, also on a terminal');
  addConnection(command)
    .addHelpText(
      'after',
      `
Examples:
  plant-store watch
  plant-store watch --tag climber --kind deleted
  plant-store watch --after oldest > changes.ndjson`,
    )
    .action((given: Given) => watchChanges(given, context));
}

async function watchChanges(given: Given, context: CommandContext): Promise<void> {
  const { stderr } = context;
  const [id] = given.id === undefined ? [] : parseIds([given.id]);
  const { tag, kind } = given;
  const filter = {
    ...(id === undefined ? {} : { id }),
    ...(tag === undefined ? {} : { tag }),
    ...(kind === undefined ? {} : { kind }),
  };
  const signal = toStopSignal(context);
  const show = toWriter(given.json === true, context);
  await withClient(
    given,
    context,
    async (client) => {
      let position = await findStart(given.after, client, signal);
      if (signal.aborted) return;
      stderr.write(
        position === undefined ? 'Following all changes that are kept.\n' : `Following changes after ${position}.\n`,
      );
      const after = position === undefined ? {} : { after: position };
      for await (const change of client.changes({ ...filter, ...after, signal })) {
        if (!(await show(change))) return;
        ({ position } = change);
      }
      if (position !== undefined) stderr.write(`Stopped. To continue, add --after ${position}\n`);
    },
    {
      onRetry: ({ attempt, cause }) => {
        // One line for each time that the connection is lost.
        if (attempt === 1) stderr.write(`plant-store: ${cause.message}; reconnecting\n`);
      },
    },
  );
}

/** Resolves to the position to start after; to undefined for the oldest change. */
async function findStart(after: string, client: PlantClient, signal: AbortSignal): Promise<string | undefined> {
  if (after === 'oldest') return undefined;
  if (after !== 'now') return after;
  try {
    return await client.latestPosition({ signal });
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
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
