/**
 * A primary with two standbys of which one must confirm each commit, on loopback, and what a platform does when a machine fails: promote,
 * point the others at the new primary, and make an old primary a standby again. What is asked of the cluster is not known here.
 */
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../support/find-free-port.ts';
import { connectTo, runAsAdmin } from './open-temporary-database.ts';
import { createCluster, type Major, type Server, startServer } from './server.ts';
import { until } from '../../support/until.ts';

export interface Node {
  readonly name: string;
  readonly folder: string;
  readonly port: number;
  server: Server | undefined;
}

const names = ['n0', 'n1', 'n2'] as const;

export class ReplicatedCluster {
  readonly #major: Major;
  readonly #folder: string;
  readonly #password: string;
  readonly nodes: readonly Node[];
  #primary: Node;

  private constructor(major: Major, folder: string, password: string, nodes: readonly [Node, ...Node[]]) {
    this.#major = major;
    this.#folder = folder;
    this.#password = password;
    this.nodes = nodes;
    this.#primary = nodes[0];
  }

  static async start(major: Major): Promise<ReplicatedCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'plant-store-cluster-'));
    chmodSync(folder, 0o755);
    const nodes = await Promise.all(
      names.map(async (name): Promise<Node> => {
        const own = join(folder, name);
        mkdirSync(own);
        return { name, folder: own, port: await findFreePort(), server: undefined };
      }),
    );
    const [first, ...others] = nodes as [Node, ...Node[]];
    const password = await createCluster({ major, folder: first.folder });
    const cluster = new ReplicatedCluster(major, folder, password, [first, ...others]);
    writeFileSync(join(first.folder, 'data', 'postgresql.auto.conf'), '');
    for (const node of others) {
      cpSync(join(first.folder, 'data'), join(node.folder, 'data'), { recursive: true });
      cluster.#makeStandby(node, first);
    }
    // A standby that is promoted has its own synchronous standbys at once: nobody may write to it before.
    await cluster.startNode(first);
    await Promise.all(others.map((node) => cluster.startNode(node)));
    await cluster.untilStreaming(1);
    return cluster;
  }

  get primary(): Node {
    return this.#primary;
  }

  /** With every node, for a database. */
  urlOf(database: string): string {
    const hosts = this.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
    return `postgres://postgres:${this.#password}@${hosts}/${database}`;
  }

  /** The URL of a node, without a database. */
  serverUrl({ port }: Node): string {
    return `postgres://postgres:${this.#password}@127.0.0.1:${port}`;
  }

  async startNode(node: Node): Promise<void> {
    const others = this.nodes.filter((other) => other !== node).map(({ name }) => name);
    const settings = {
      cluster_name: node.name,
      synchronous_standby_names: `ANY 1 (${others.join(', ')})`,
      wal_level: 'replica',
      max_wal_senders: '10',
      max_connections: '100',
      hot_standby: 'on',
      wal_receiver_status_interval: '1s',
      wal_retrieve_retry_interval: '200ms',
      wal_keep_size: '64MB',
      restart_after_crash: 'off',
    };
    // The processes of a server that was killed hold its memory for a second or two.
    for (let tries = 0; ; tries += 1) {
      try {
        const options = { major: this.#major, folder: node.folder, settings };
        node.server = await startServer(options, this.#password, node.port);
        return;
      } catch (error) {
        if (tries === 20) throw error;
        await sleep(300);
      }
    }
  }

  /** Kills the server and all its processes: what the operating system has not written is still in its memory. */
  async kill(node: Node): Promise<void> {
    const { server } = node;
    if (server === undefined) return;
    const pids = [server.child.pid ?? 0, ...childrenOf(server.child.pid ?? 0)];
    node.server = undefined;
    const closed = new Promise((resolve) => server.child.once('close', resolve));
    for (const pid of pids) signal(pid, 'SIGKILL');
    await closed;
  }

  /** Stops every process of the server without ending it, as a machine that hangs. */
  pause(node: Node): void {
    const pid = node.server?.child.pid ?? 0;
    for (const each of [pid, ...childrenOf(pid)]) signal(each, 'SIGSTOP');
  }

  resume(node: Node): void {
    const pid = node.server?.child.pid ?? 0;
    for (const each of [pid, ...childrenOf(pid)]) signal(each, 'SIGCONT');
  }

  /** Promotes the standby that has the most of the log, and lets the other follow it. Resolves once it accepts writes. */
  async promote(): Promise<Node> {
    const old = this.#primary;
    const standbys = this.nodes.filter((node) => node !== old && node.server !== undefined);
    const received = await Promise.all(standbys.map(async (node) => ({ node, lsn: await this.#findEnd(node) })));
    received.sort((one, other) => compareLsn(other.lsn, one.lsn));
    const next = received[0]?.node;
    if (next === undefined) throw new Error('no standby runs');
    await runAsAdmin(this.serverUrl(next), 'SELECT pg_promote(true, 30)');
    this.#primary = next;
    for (const node of standbys) if (node !== next) await this.#follow(node);
    return next;
  }

  /** Makes a node a standby of the primary from a copy of it, as a platform does with a machine that failed. */
  async reseed(node: Node): Promise<void> {
    await this.kill(node);
    const primary = this.#primary;
    const data = join(node.folder, 'data');
    const copy = join(node.folder, 'copy');
    rmSync(copy, { recursive: true, force: true });
    const backup = await connectTo(`${this.serverUrl(primary)}/postgres`);
    await backup.run(`SELECT pg_backup_start('reseed', true)`, [], 60_000);
    copyRunning(join(primary.folder, 'data'), copy);
    const { rows } = await backup.run('SELECT labelfile FROM pg_backup_stop(false)', [], 60_000);
    await backup.close();
    rmSync(data, { recursive: true, force: true });
    renameSync(copy, data);
    writeFileSync(join(data, 'backup_label'), String(rows[0]?.[0]));
    this.#makeStandby(node, primary);
    await this.startNode(node);
  }

  /** Resolves when at least so many standbys stream from the primary. */
  async untilStreaming(standbys: number): Promise<void> {
    const sql = `SELECT count(*)::int FROM pg_stat_replication WHERE state = 'streaming'`;
    await until(async () => Number(await this.#ask(this.#primary, sql)) >= standbys, `${standbys} standbys stream`);
  }

  async close(): Promise<void> {
    for (const node of this.nodes) this.resume(node);
    await Promise.all(this.nodes.map((node) => this.kill(node)));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /**
   * The end of the log that a standby has. What it has received says nothing after a restart, when it may be the beginning of a file;
   * then all that it has is being replayed.
   */
  async #findEnd(node: Node): Promise<string> {
    const sql = 'SELECT greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())::text';
    for (let last = ''; ;) {
      const end = await this.#ask(node, sql);
      if (end === last) return end;
      last = end;
      await sleep(100);
    }
  }

  async #ask(node: Node, sql: string): Promise<string> {
    const connection = await connectTo(`${this.serverUrl(node)}/postgres`);
    const { rows } = await connection.run(sql, [], 10_000);
    await connection.close();
    return String(rows[0]?.[0]);
  }

  async #follow(node: Node): Promise<void> {
    await runAsAdmin(
      this.serverUrl(node),
      `ALTER SYSTEM SET primary_conninfo = '${this.#conninfo(node, this.#primary)}'`,
    );
    await runAsAdmin(this.serverUrl(node), 'SELECT pg_reload_conf()');
  }

  #makeStandby(node: Node, primary: Node): void {
    const data = join(node.folder, 'data');
    const config = join(data, 'postgresql.auto.conf');
    const kept = readFileSync(config, 'utf8')
      .split('\n')
      .filter((line) => !line.startsWith('primary_conninfo'));
    writeFileSync(config, `${kept.join('\n')}\nprimary_conninfo = '${this.#conninfo(node, primary)}'\n`);
    writeFileSync(join(data, 'standby.signal'), '');
    chownLike(data, primary.folder);
  }

  #conninfo({ name }: Node, { port }: Node): string {
    return `host=127.0.0.1 port=${port} user=postgres password=${this.#password} application_name=${name} connect_timeout=2`;
  }
}

/** The files of a running server, less its log and what belongs to the process. */
function copyRunning(from: string, to: string): void {
  cpSync(from, to, {
    recursive: true,
    // Files may vanish while they are copied; those that matter are in the log.
    filter: (path) =>
      !/\/(postmaster\.(pid|opts)|pg_wal\/.+|pg_replslot\/.+|pgsql_tmp.*|standby\.signal|backup_label.*)$/.test(path),
  });
}

/** Everything in the folder belongs to whoever runs the servers. */
function chownLike(path: string, folder: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  const chown = (each: string): void => {
    chownSync(each, uid, gid);
    for (const entry of readdirSync(each, { withFileTypes: true })) {
      const inner = join(each, entry.name);
      if (entry.isDirectory()) chown(inner);
      else chownSync(inner, uid, gid);
    }
  };
  chmodSync(path, 0o700);
  chown(join(path, '..'));
}

function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids
    .filter((pid) => {
      try {
        return new RegExp(`\\) \\S ${parent} `).test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
      } catch {
        return false;
      }
    })
    .map(Number);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    if (pid > 0) process.kill(pid, name);
  } catch {
    // The process has ended.
  }
}

function compareLsn(one: string, other: string): number {
  const toNumber = (lsn: string): bigint => {
    const [high = '0', low = '0'] = lsn.split('/');
    return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
  };
  const difference = toNumber(one) - toNumber(other);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
