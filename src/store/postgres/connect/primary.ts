/** The host that accepts writes, as a round of questions finds it. */
import type { ClusterEvent } from './cluster-event.ts';
import type { Connection } from './connection.ts';
import type { HostAddress } from './database-url.ts';
import type { ServerState } from './server-state.ts';

export interface Primary {
  readonly address: HostAddress;
  readonly timeline: number;
  readonly startedAt: string;
  /** Lasts until the server crashes or restarts: its standbys have confirmed what it shows. */
  readonly probe: Connection;
}

export interface Found extends Primary, ServerState {
  /** See `Connection.findBlocker`. */
  readonly blocker: string | undefined;
}

/** Longest wait for the standbys of a server that was not the primary before, or has restarted. */
const confirmWithinMs = 2_000;

/** Whether a server is what it was when its standbys confirmed what it shows. */
export function isStill({ timeline, startedAt, probe }: Primary, state: ServerState): boolean {
  return probe.isUsable && state.isWritable && state.timeline === timeline && state.startedAt === startedAt;
}

/** The host that accepts writes, of several the one with the newest timeline; none before `timelineMin` counts. */
export function findNewest(states: readonly (Found | undefined)[], timelineMin: number): Found | undefined {
  return states
    .filter((state) => state !== undefined)
    .filter(({ isWritable, timeline }) => isWritable && timeline >= timelineMin)
    .toSorted((one, other) => other.timeline - one.timeline)[0];
}

/** Waits until the standbys have what the server shows. Resolves to the reason if they do not. */
export async function confirmStandbys({ probe, isStalled }: Found): Promise<Error | undefined> {
  // Do not try another commit: each leaves a session that waits until a standby answers.
  if (isStalled) return stalledError();
  try {
    await probe.confirm(confirmWithinMs);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Why a host that answers is not the primary, or not any more. */
export function notPrimaryError({ isWritable }: ServerState): Error {
  return new Error(
    isWritable
      ? 'the host has restarted, or is not the primary any more'
      : 'its transactions are read-only: default_transaction_read_only is on for this user, database or server',
  );
}

export function stalledError(): Error {
  return new Error('commits wait for a synchronous standby');
}

export function toFoundEvent({ address: { host, port } }: Primary): ClusterEvent {
  return { kind: 'found', host: `${host}:${port}` };
}
