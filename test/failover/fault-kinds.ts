/** What happens to the database, to the instances and to their connections. Each fault leaves everything running again. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../crash/random.ts';
import type { Node, ReplicatedCluster } from '../store/postgres/replicated-cluster.ts';
import type { Forwarder } from '../support/forward.ts';
import type { Instance } from './instance.ts';

export interface Scene {
  readonly cluster: ReplicatedCluster;
  readonly instances: readonly [Instance, ...Instance[]];
  /** Between the instances and each server, and between the clients and the instances. */
  readonly forwarders: readonly Forwarder[];
  readonly random: Random;
  /** Resolves when every instance stores writes again; notes the time since the call. */
  readonly untilWritable: () => Promise<void>;
}

const kill = async ({ cluster, random, untilWritable }: Scene): Promise<void> => {
  const old = cluster.primary;
  await cluster.kill(old);
  await wait(random.integer(0, 3_000));
  await cluster.promote();
  await untilWritable();
  await cluster.reseed(old);
};

const hang = async ({ cluster, random, untilWritable }: Scene): Promise<void> => {
  const old = cluster.primary;
  cluster.pause(old);
  await wait(random.integer(0, 6_000));
  await cluster.promote();
  const writable = untilWritable();
  await wait(random.integer(0, 3_000));
  cluster.resume(old);
  await writable;
  await wait(random.integer(0, 2_000));
  await cluster.reseed(old);
};

const restart = async ({ cluster, untilWritable }: Scene): Promise<void> => {
  const { primary } = cluster;
  await cluster.kill(primary);
  await cluster.startNode(primary);
  await untilWritable();
};

/** What waited for a standby is visible after the restart, and gone after the failover. */
const restartAlone = async ({ cluster, random, untilWritable }: Scene): Promise<void> => {
  const old = cluster.primary;
  const standbys = cluster.nodes.filter((node) => node !== old);
  for (const node of standbys) await cluster.kill(node);
  await wait(random.integer(500, 1_500));
  await cluster.kill(old);
  await cluster.startNode(old);
  await wait(random.integer(2_000, 9_000));
  await cluster.kill(old);
  for (const node of standbys) await cluster.startNode(node);
  await cluster.promote();
  await untilWritable();
  await cluster.reseed(old);
};

const stopStandby = async ({ cluster, random, untilWritable }: Scene): Promise<void> => {
  const node = pickStandby(cluster, random);
  await cluster.kill(node);
  await wait(random.integer(500, 2_000));
  await untilWritable();
  await cluster.startNode(node);
};

/** Nothing can be acknowledged; the service must say so, and go on by itself. */
const stopStandbys = async ({ cluster, random, untilWritable }: Scene): Promise<void> => {
  const standbys = cluster.nodes.filter((node) => node !== cluster.primary);
  for (const node of standbys) await cluster.kill(node);
  await wait(random.integer(10_000, 14_000));
  for (const node of standbys) await cluster.startNode(node);
  await untilWritable();
};

const reseedStandby = async ({ cluster, random, untilWritable }: Scene): Promise<void> => {
  await cluster.reseed(pickStandby(cluster, random));
  await untilWritable();
};

const killInstances =
  (count: number) =>
  async ({ instances, random, untilWritable }: Scene): Promise<void> => {
    const first = random.integer(0, instances.length - 1);
    const killed = Array.from(
      { length: count },
      (_, index) => instances[(first + index) % instances.length] ?? instances[0],
    );
    await wait(random.integer(0, 500));
    await Promise.all(killed.map((instance) => instance.kill()));
    await Promise.all(killed.map((instance) => instance.start()));
    await untilWritable();
  };

const cutConnections = async ({ forwarders, random, untilWritable }: Scene): Promise<void> => {
  for (let count = random.integer(1, 8); count > 0; count -= 1) {
    await wait(random.integer(0, 300));
    random.pick(forwarders as readonly [Forwarder, ...Forwarder[]]).cut();
  }
  await untilWritable();
};

export const faultKinds = {
  'kill the primary, promote': kill,
  'hang the primary, promote, wake it': hang,
  'kill the primary, restart it': restart,
  'kill the primary, restart it alone, promote another': restartAlone,
  'stop a standby': stopStandby,
  'stop both standbys': stopStandbys,
  're-seed a standby': reseedStandby,
  'kill an instance': killInstances(1),
  'kill all instances': killInstances(3),
  'cut connections': cutConnections,
} as const satisfies Readonly<Record<string, (scene: Scene) => Promise<void>>>;

export type FaultKind = keyof typeof faultKinds;

function pickStandby({ nodes, primary }: ReplicatedCluster, random: Random): Node {
  const standbys = nodes.filter((node) => node !== primary);
  return random.pick(standbys as [Node, ...Node[]]);
}
