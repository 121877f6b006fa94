/** Which host a cluster takes for the primary; the test plays the hosts. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { ClusterEvent } from '../../../src/store/postgres/connect/cluster-event.ts';
import { Cluster } from '../../../src/store/postgres/connect/cluster.ts';
import { Connection } from '../../../src/store/postgres/connect/connection.ts';
import type { ServerState } from '../../../src/store/postgres/connect/server-state.ts';
import { stopClock } from '../../support/stop-clock.ts';

it('a host of an older timeline is not the primary again, even when no other one accepts writes', async (t) => {
  const timelines = { new: 2, old: 1 };
  const { cluster, events, after } = startHosts(t, ['new', 'old'], (host) => ({ timeline: timelines[host] }));
  await cluster.start();
  timelines.new = 0;
  await after(3);
  assert.deepEqual(events, ['found new:1']);
  assert.notEqual(cluster.primary?.address.host, 'old');
});

it('a primary that fails to answer once stays the primary', async (t) => {
  const { cluster, events, after } = startHosts(t, ['only'], (_host, round) => {
    if (round === 2) throw new Error('no answer');
    return {};
  });
  await cluster.start();
  await after(4);
  assert.deepEqual(events, ['found only:1']);
});

it('a connection waits for the next answer of a primary that has failed to answer once', async (t) => {
  const late = Promise.withResolvers<undefined>();
  let connecting: Promise<unknown> | undefined;
  const { cluster } = startHosts(t, ['only'], (_host, round) => {
    if (round !== 2) return {};
    // The probe is destroyed while the connection is opened.
    connecting = cluster.connect();
    late.resolve(undefined);
    throw new Error('no answer');
  });
  await cluster.start();
  await late.promise;
  await connecting;
});

it('a primary that was lost keeps its connections if it is the same afterwards, and no others', async (t) => {
  let [isSlow, startedAt, drops] = [false, 'once', 0];
  const { cluster, events, after, pass } = startHosts(t, ['only'], () => {
    if (!isSlow) return { startedAt };
    pass(10_000);
    throw new Error('no answer');
  });
  const dropAll = (): void => {
    drops++;
  };
  cluster.pools.add({ dropAll, closeIdle: () => Promise.resolve(false) });
  const loseUntil = async (round: number): Promise<void> => {
    isSlow = true;
    await after(round);
    isSlow = false;
    await after(round + 3);
  };
  await cluster.start();
  await loseUntil(3);
  assert.deepEqual([events, drops], [['found only:1', 'lost ', 'found only:1'], 0]);
  startedAt = 'again';
  await loseUntil(9);
  assert.deepEqual([events.slice(3), drops], [['lost ', 'found only:1'], 1]);
});

it('a host whose standbys do not confirm what it shows is not used', async (t) => {
  const { cluster } = startHosts(t, ['only'], () => ({}), Promise.reject(new Error('no standby answers')));
  await cluster.start();
  assert.equal(cluster.primary, undefined);
  assert.equal(cluster.reason?.message, 'no standby answers');
});

it('a connection to a primary that has restarted since its standbys confirmed is refused', async (t) => {
  let startedAt = 'before';
  const { cluster } = startHosts(t, ['only'], () => ({ startedAt }));
  await cluster.start();
  startedAt = 'after';
  await assert.rejects(cluster.connect(), { code: 'store_unavailable' });
});

/** A cluster of hosts that the test plays, since a real one cannot be made to fail in a certain round of questions. */
function startHosts<Host extends string>(
  t: TestContext,
  hosts: readonly Host[],
  stateOf: (host: Host, round: number) => Partial<ServerState>,
  confirmed: Promise<void> = Promise.resolve(),
): { cluster: Cluster; events: string[]; after: (round: number) => Promise<void>; pass: (ms: number) => void } {
  confirmed.catch(() => undefined);
  // The clock stands still, so that the load of the machine does not count.
  const pass = stopClock(t);
  const rounds = new Map<Host, number>();
  const waiting = new Map<number, () => void>();
  const readState = async (host: Host): Promise<ServerState> => {
    const round = (rounds.get(host) ?? 0) + 1;
    rounds.set(host, round);
    // The next round begins without its usual pause.
    cluster.suspect();
    if (hosts.every((each) => rounds.get(each) === round)) waiting.get(round - 1)?.();
    const state = { timeline: 1, isStalled: false, startedAt: 'once', ...stateOf(host, round) };
    return { isWritable: state.timeline > 0, ...state };
  };
  const open = ({ host }: { host: Host }): Partial<Connection> => {
    let isUsable = true;
    return {
      get isUsable() {
        return isUsable;
      },
      readState: () => readState(host),
      findBlocker: () => Promise.resolve(undefined),
      confirm: () => confirmed,
      destroy: () => (isUsable = false),
    };
  };
  t.mock.method(Connection, 'open', async (address: { host: Host }) => open(address));
  const events: string[] = [];
  const onEvent = (event: ClusterEvent): void => void events.push(`${event.kind} ${'host' in event ? event.host : ''}`);
  const addresses = hosts.map((host) => ({ host, port: 1 }));
  const login = { user: '', database: '', readPassword: async () => '', tls: false } as const;
  const cluster = new Cluster(addresses, login, async () => undefined, onEvent);
  t.after(() => cluster.close());
  return { cluster, events, after: (round) => new Promise((resolve) => waiting.set(round, resolve)), pass };
}
