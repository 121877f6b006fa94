/** Follows the changes of a service until Ctrl-C, for commands that do something with each. */
import { Option } from 'commander';
import type { Change, ChangesOptions, PlantClient } from '../../client/client.ts';
import { PlantStoreError } from '../../client/errors.ts';
import { errors } from '../../domain/error-registry.ts';
import type { CommandContext } from '../command-context.ts';
import { toPrintable } from '../output/to-printable.ts';
import { UsageError } from '../../config/usage-error.ts';
import { toStopSignal } from './add-command.ts';
import { type ServiceFlags, withClient } from './service.ts';

export interface FollowFlags extends ServiceFlags {
  readonly after: string;
}

export interface Following {
  readonly filter: Pick<ChangesOptions, 'id' | 'tag' | 'kind'>;
  /** What the command does, as in `Following changes after 6f1c09ad-41`. */
  readonly verb: string;
  /** Printed before that line, once the service has responded. */
  readonly notice?: string;
  /** Resolves to false to end the command. Rejects with the signal's reason after Ctrl-C. */
  readonly take: (change: Change, signal: AbortSignal) => Promise<boolean>;
}

/**
 * Retries before the first answer. Once the service has answered, the client retries without a
 * limit.
 */
const firstRetries = 4;

export const afterOption = new Option(
  '--after <position>',
  'Start after the change with this position; now: with the next change; oldest: with the oldest change that is kept',
).default('now', 'now');

/**
 * Resolves at Ctrl-C, or when `take` has had enough. Says where it starts and, however it ends,
 * where to continue.
 * @throws UsageError for an `--after` that no service takes.
 */
export async function watchChanges(
  flags: FollowFlags,
  context: CommandContext,
  { filter, verb, notice = '', take }: Following,
): Promise<void> {
  const { stderr } = context;
  checkAfter(flags.after);
  const signal = toStopSignal(context);
  const onRetry = ({ attempt, cause }: { readonly attempt: number; readonly cause: Error }): void => {
    // Report each lost connection once. The first retries may still give up.
    if (attempt === firstRetries + 1) stderr.write(`plant-store: ${toPrintable(cause.message)}; reconnecting\n`);
  };
  let position: string | undefined;
  let isGone = false;
  try {
    await withClient(
      flags,
      context,
      async (client) => {
        position = await findStart(flags.after, client, signal);
        stderr.write(
          `${notice}${verb} ${position === undefined ? 'all changes that are kept' : `changes after ${position}`}.\n`,
        );
        const onPosition = (seen: string): void => void (position = seen);
        for await (const change of client.changes({ ...filter, after: position, onPosition, signal })) {
          if (!(await take(change, signal))) return;
          ({ position } = change);
        }
      },
      { retries: firstRetries, onRetry },
    );
  } catch (error) {
    isGone = isPositionGone(error);
    if (!signal.aborted) throw error;
  } finally {
    if (isGone) stderr.write('The store was restored, or a sandbox reset: start again, without --after\n');
    else if (position !== undefined)
      stderr.write(`${signal.aborted ? 'Stopped. ' : ''}To continue, add --after ${position}\n`);
  }
}

/** Whether the service does not know the position, so that nothing can continue there. */
function isPositionGone(error: unknown): boolean {
  const { cause } = error instanceof Error ? error : {};
  return cause instanceof PlantStoreError && cause.number === errors.position_unknown.number;
}

/** The positions that openapi.yaml allows. */
const wanted = /^(?:now|oldest|[0-9a-f]{8}-[0-9]{1,18})$/;

function checkAfter(after: string): void {
  if (wanted.test(after)) return;
  throw new UsageError(
    `Cannot use --after ${JSON.stringify(after.slice(0, 80))}: must be now, oldest or a position, such as 6f1c09ad-41`,
  );
}

/** Resolves to the position to start after; to undefined for the oldest change. */
async function findStart(after: string, client: PlantClient, signal: AbortSignal): Promise<string | undefined> {
  // Also shows that the service is there and takes the token: a page may wait for the next change.
  const latest = await client.latestPosition({ signal });
  if (after === 'oldest') return undefined;
  return after === 'now' ? latest : after;
}
