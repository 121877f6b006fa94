/** `plant-store webhook listen`: sends changes to a local address as a webhook would. */
import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from '../../config/usage-error.ts';
import { Option } from 'commander';
import type { Change } from '../../client/client.ts';
import type { WebhookEvent } from '../../domain/webhooks.ts';
import { toJson } from '../../json/to-json.ts';
import { toBody, toEvent, toKinds, toMessageId } from '../../webhooks/events.ts';
import type { SendResult } from '../../webhooks/sender.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand } from '../inputs/add-command.ts';
import { serviceOptions } from '../inputs/service.ts';
import { afterOption, watchChanges, type FollowFlags } from '../inputs/watch-changes.ts';
import { toTable } from '../output/to-table.ts';
import { toIsoTime } from '../output/to-iso-time.ts';

interface Given extends FollowFlags {
  readonly forward: string;
  readonly events: readonly WebhookEvent[];
  readonly json?: boolean;
}

const allEvents: readonly WebhookEvent[] = ['plant.created', 'plant.replaced', 'plant.deleted'];
/** Delays before further attempts, in milliseconds: for a receiver that restarts after an edit. */
const retryDelaysMs = [500, 1_000, 2_000];
/** Columns of the table: time, event, id, attempts, result. */
const columns = [20, 14, 20, 8, 60];

export const webhookListenCommand = defineCommand({
  name: 'listen',
  summary: 'Send changes to an address on this machine, signed',
  description: `Send the changes of plants to an address on this machine, as a webhook would: the same bodies, signed with a new secret, which is shown once. Needs no webhook and no public address, only a token with plants:read. Makes ${retryDelaysMs.length + 1} attempts for each change, then goes on with the next one. Press Ctrl-C to stop.`,
  options: [
    new Option('--forward <address>', 'URL to send the requests to (required)').makeOptionMandatory(),
    new Option('--events <event...>', 'Events to send').choices(allEvents).default(allEvents, 'all of them'),
    afterOption,
    ['--json', 'Write one JSON object a line, also on a terminal'],
    ...serviceOptions,
  ],
  examples: [
    'plant-store webhook listen --forward http://localhost:4000/hook',
    'plant-store webhook listen --forward http://localhost:4000/hook --events plant.created --after oldest',
  ],
  run: listen,
});

async function listen({ forward, events, json = false, ...flags }: Given, context: CommandContext): Promise<void> {
  // Loaded late: help does not need them.
  const { parseUrl, toAddressPolicy, UrlError } = await import('../../webhooks/addresses.ts');
  const { createSecret } = await import('../../webhooks/secrets.ts');
  const { Sender } = await import('../../webhooks/sender.ts');
  // On the machine of a developer nothing has to be protected from the address.
  const policy = toAddressPolicy(true);
  const toTarget = (): string => {
    try {
      return parseUrl(forward, policy);
    } catch (error) {
      if (!(error instanceof UrlError)) throw error;
      throw new UsageError(`Cannot use --forward: ${error.message.replace('"url"', 'it')}`);
    }
  };
  const url = toTarget();
  const sender = new Sender({ policy });
  const secret = createSecret();
  const show = toWriter(json, context);
  const kinds = toKinds(events);
  try {
    await watchChanges(flags, context, {
      // The service selects one kind, or all.
      filter: { kind: kinds?.length === 1 ? kinds[0] : undefined },
      verb: `Sending to ${forward}`,
      notice: `Secret, shown only once: ${secret}\n`,
      take: async (change, signal) => {
        if (!events.includes(toEvent(change.kind))) return true;
        const message = {
          url,
          secrets: [secret],
          id: toMessageId('listen', change.position),
          body: toBody({ ...change, at: Date.parse(change.at) }),
        };
        for (let attempts = 1; ; attempts++) {
          const result = await sender.send({ ...message, now: context.now() }, signal);
          const delayMs = retryDelaysMs[attempts - 1];
          if (result.isDelivered || delayMs === undefined) return show(change, { ...result, id: message.id, attempts });
          await sleep(delayMs, undefined, { signal });
        }
      },
    });
  } finally {
    sender.close();
  }
}

/** Resolves to false if nobody reads any more. */
function toWriter(json: boolean, { stdout }: CommandContext): (change: Change, result: Sent) => Promise<boolean> {
  const isTable = stdout.isTTY && !json;
  let head = isTable ? toTable([['TIME', 'EVENT', 'ID', 'ATTEMPTS', 'RESULT']], { fixed: columns }) : '';
  return (change, { id, attempts, responseStatus, error }) => {
    const event = toEvent(change.kind);
    const row = [
      toIsoTime(Date.parse(change.at)),
      event,
      change.id.toString(),
      String(attempts),
      error ?? String(responseStatus),
    ];
    const text = isTable
      ? toTable([row], { fixed: columns })
      : `${toJson({ id, event, plant: change.id, position: change.position, attempts, responseStatus, error })}\n`;
    const bytes = new TextEncoder().encode(head + text);
    head = '';
    return stdout.writeAll(bytes);
  };
}

interface Sent extends SendResult {
  readonly id: string;
  readonly attempts: number;
}
