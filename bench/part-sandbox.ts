/** What strangers cost a sandbox: its memory, and how long another visitor waits beside each kind of them. */
import { Agent, get, request } from 'node:http';
import { join } from 'node:path';
import type { Bench } from './context.ts';
import { readResident } from './process-usage.ts';
import { ownRoot } from './service.ts';
import type { Server } from './workspace.ts';

const part = 'sandbox';
/** More than fit into the memory. */
const spacesCount = 600;
/** Rows of an import that leaves a space of 1 MiB nearly full. */
const rowsCount = 650;
const followersCount = 1_400;
const followersOfSpace = 5;
const samplesCount = 300;
/** Fewer than the imports that run at once. */
const lanes = 12;

interface Asked {
  readonly name: string;
  /** Number of the client's address, which a proxy passes on. */
  readonly client: number;
  readonly path?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function runSandbox({ report, workspace }: Bench): Promise<void> {
  const args = [join(ownRoot, 'src', 'main.ts'), 'serve', '--sandbox'];
  const env = { PORT: '0', LOG_FORMAT: 'json', PLANT_STORE_TRUSTED_PROXIES: '127.0.0.1' };
  const server = await workspace.start({ command: process.execPath, args, env }, /"url":"http:\/\/127\.0\.0\.1:(\d+)/);
  const visitors = new Visitors(server);
  try {
    const before = readResident(server.pid) ?? Number.NaN;
    const rows = Array.from({ length: rowsCount }, (_, row) => toPlant(row, `${row} ${'x'.repeat(900)}`)).join('\n');
    const headers = { 'content-type': 'application/x-ndjson' };
    await inLanes(spacesCount, async (at) => {
      const name = `visitor-${at}`;
      const status = await visitors.ask({ name, client: at, path: '/plants/import', body: rows, headers });
      if (status !== 200) report.wrong(part, `the import into a space was answered with ${status}`);
    });
    const grown = (readResident(server.pid) ?? Number.NaN) - before;
    report.add({ part, name: `${spacesCount} spaces filled`, value: grown, unit: 'MiB', goal: { atMost: 700 } });

    const quiet = await visitors.sample();
    report.add({ part, name: 'a visitor alone: p99', value: quiet, unit: 'ms' });
    const beside = async (name: string, load: (at: number) => Promise<unknown>): Promise<void> => {
      const stop = new AbortController();
      const running = inLanes(Number.POSITIVE_INFINITY, load, stop.signal);
      const p99 = await visitors.sample();
      stop.abort();
      await running;
      const resident = readResident(server.pid) ?? Number.NaN;
      report.add({ part, name: `beside ${name}: p99`, value: p99, unit: 'ms', note: `${resident.toFixed(0)} MiB` });
    };
    const stranger = spacesCount;
    await beside('new names from one address', (at) =>
      visitors.ask({ name: `flood-${at}`, client: stranger, body: toPlant(at) }),
    );
    await beside('one full space', (at) =>
      visitors.ask({ name: 'full-space', client: stranger + 1 + at, body: toPlant(at, 'x'.repeat(1_000)) }),
    );
    await beside('names that only read', (at) => visitors.ask({ name: `reader-${at}`, client: stranger + at }));
    await beside('Prefer of 15 KB', (at) =>
      visitors.ask({ name: 'prefers', client: stranger + at, headers: { prefer: `example=${'x'.repeat(15_000)}` } }),
    );
    const end = await visitors.follow();
    await beside(`${followersCount} followers`, (at) =>
      visitors.ask({
        name: `visitor-${at % (followersCount / followersOfSpace)}`,
        client: stranger + at,
        body: toPlant(at),
      }),
    );
    end();
  } finally {
    visitors.close();
    await server.stop();
  }
}

class Visitors {
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(server: Server) {
    this.#server = server;
  }

  /** Resolves to the status. */
  ask({ name, client, path = '/plants', body, headers = {} }: Asked): Promise<number> {
    return new Promise((resolve, reject) => {
      request(
        {
          port: this.#server.port,
          host: '127.0.0.1',
          method: body === undefined ? 'GET' : 'POST',
          path,
          agent: this.#agent,
          headers: {
            authorization: `Bearer sandbox-${name}`,
            'x-forwarded-for': toAddress(client),
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
        },
        (response) => {
          response.resume().once('end', () => resolve(response.statusCode ?? 0));
        },
      )
        .once('error', reject)
        .end(body);
    });
  }

  /** Resolves to the 99th percentile of the time of gets and creates in a space of its own, in ms. */
  async sample(): Promise<number> {
    const times: number[] = [];
    for (let at = 0; at < samplesCount; at += 1) {
      const begunAt = performance.now();
      // A client of each sample has the rate of one.
      const client = 1_000_000 + Math.floor(at / 5);
      await this.ask({ name: 'patient-visitor', client, ...(at % 2 === 0 ? {} : { body: toPlant(at) }) });
      times.push(performance.now() - begunAt);
    }
    return times.toSorted((left, right) => left - right)[Math.floor(samplesCount * 0.99)] ?? Number.NaN;
  }

  /** Opens streams of changes. Resolves to what ends them, once all are open. */
  async follow(): Promise<() => void> {
    const opened = Array.from({ length: followersCount }, (_, at) => {
      const space = Math.floor(at / followersOfSpace);
      const headers = {
        authorization: `Bearer sandbox-visitor-${space}`,
        'x-forwarded-for': toAddress(space),
        accept: 'text/event-stream',
      };
      const streaming = get({
        port: this.#server.port,
        host: '127.0.0.1',
        path: '/plants/changes',
        headers,
        agent: false,
      });
      streaming.on('error', () => undefined);
      return new Promise<() => void>((resolve, reject) => {
        streaming.once('response', (response) => {
          if (response.statusCode === 200) resolve(() => void response.on('error', () => undefined).destroy());
          else reject(new Error(`Follower ${at} was answered with ${response.statusCode ?? 0}`));
          response.resume();
        });
      });
    });
    const ends = await Promise.all(opened);
    return () => ends.forEach((end) => end());
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Calls `work` for each number, a few at once, until all are done or the signal is aborted. */
async function inLanes(count: number, work: (at: number) => Promise<unknown>, signal?: AbortSignal): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count && signal?.aborted !== true) await work(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

function toPlant(id: number, name = 'Monstera'): string {
  return JSON.stringify({ id: id + 1_000_000, name });
}

function toAddress(client: number): string {
  return `10.${(client >> 16) & 255}.${(client >> 8) & 255}.${client & 255}`;
}
