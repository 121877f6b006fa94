/** Follows the change log while the page is visible and signed in, and announces what is new. */
import { PlantStoreError } from '../../../src/client/client.ts';
import { realEnvironment } from '../../../src/client/retry.ts';
import { announce } from '../copy/changes.ts';
import { connection } from '../session/connection.ts';
import { noteError, type Session, session } from '../session/session.ts';
import { claimOwn, isReadAgainSoon } from './own-writes.ts';

/** Changes per request. A full page means that there are too many to show one by one. */
const batchMax = 500;
/** How long the service waits for a change, in seconds. Shorter than the usual idle timeout of proxies. */
const waitSeconds = 25;
/** Pause after changes, in milliseconds: those that come in quick succession are shown together. */
const gatherMs = 400;
/** Delays after failures, in milliseconds; the last one repeats. */
const backOffMs = [1_000, 2_000, 5_000, 10_000, 30_000];

type Following = Pick<Session, 'client' | 'log'>;

let following: { readonly log: Session['log']; readonly controller: AbortController } | undefined;

export function startFollowing(): void {
  session.subscribe(update);
  connection.subscribe(update);
  document.addEventListener('visibilitychange', update);
  update();
}

/** Goes on from now, after everything is read again. Call it after an import: its changes are no news, those by others since then are. */
export function skipToNow(): void {
  if (typeof session.value !== 'object') return;
  session.value.log.position = undefined;
  following?.controller.abort();
  following = undefined;
  update();
}

function update(): void {
  const current = session.value;
  const isWanted = typeof current === 'object' && current.canRead && !document.hidden && !connection.value.isAway;
  const wanted = isWanted ? current : undefined;
  if (wanted?.log === following?.log) return;
  following?.controller.abort();
  following = undefined;
  if (wanted === undefined) return;
  const controller = new AbortController();
  following = { log: wanted.log, controller };
  void follow(wanted, controller.signal);
}

async function follow(current: Following, signal: AbortSignal): Promise<void> {
  const isOver = (): boolean => signal.aborted;
  for (let failures = 0; !isOver();) {
    const start = performance.now();
    try {
      const count = await takeNext(current, signal);
      failures = 0;
      // An early answer without changes comes from a service that shuts down.
      if (count === 0 && performance.now() - start < gatherMs) await pause(backOffMs[0], signal);
      if (count > 0) await pause(gatherMs, signal);
    } catch (error) {
      if (isOver()) return;
      // The log does not go back that far.
      if (error instanceof PlantStoreError && error.status === 410) current.log.position = undefined;
      // While the service is away, the connection looks for it; this begins anew when it is back.
      else noteError(error, 'read');
      await pause(backOffMs[Math.min(failures++, backOffMs.length - 1)], signal);
    }
  }
}

/** Waits for changes and announces them. Resolves to their number. */
async function takeNext({ client, log }: Following, signal: AbortSignal): Promise<number> {
  if (log.position === undefined) {
    log.position = await client.latestPosition({ signal });
    // What changed before is in no page: everything is read again.
    announce({ kind: 'many' });
  }
  const wanted = { after: log.position, pageSize: batchMax, waitSeconds };
  const { items: changes, position } = await client.changesPage(wanted, { signal });
  const isFlood = changes.length === batchMax;
  log.position = isFlood ? await client.latestPosition({ signal }) : position;
  const claimed = changes.map(claimOwn);
  // What is read again at its end needs no reading now.
  const isShown = claimed.some(({ isOutdated }) => !isOutdated);
  if (changes.length > 0) announce({ kind: 'logged', isFlood: isFlood && isShown, changes: claimed });
  // Of a batch that goes on without its page, or that is over: changes by others since then are skipped, too.
  if (isFlood && claimed.some(({ isOwn, isOutdated }) => isOwn && !(isOutdated && isReadAgainSoon())))
    announce({ kind: 'many' });
  return changes.length;
}

function pause(ms: number | undefined, signal: AbortSignal): Promise<void> {
  return realEnvironment.sleep(ms ?? 0, signal).catch(() => undefined);
}
