/** A service on a data folder of its own, and the ledger of what it acknowledged. Which fault it meets is the test's matter. */
import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { readStored } from '../crash/read-stored.ts';
import { type Response, sendRequest } from '../crash/send-request.ts';
import { type Exit, type ServiceOptions, type ServiceProcess, startService } from '../crash/service-process.ts';
import { cleanUp, makeFolder } from '../support/clean-up.ts';
import { until } from '../support/until.ts';

/** The number of responses of each kind: `200`, the number of an error, or `none` where the connection ended without one. */
export type Tally = Readonly<Record<string, number>>;

/** The service may take this long to recover, or to end: the drain, and some time for a slow machine. */
const timeoutMs = 120_000;
const connectionsMax = 200;

export class TestedService {
  readonly folder: string;
  readonly #service: ServiceProcess & { readonly port: number };
  readonly #agent = new Agent({ keepAlive: true, maxSockets: connectionsMax });
  readonly #acknowledged = new Map<bigint, string>();
  #nextId: bigint;

  private constructor(folder: string, firstId: number, service: ServiceProcess & { readonly port: number }) {
    this.folder = folder;
    this.#nextId = BigInt(firstId);
    this.#service = service;
  }

  /** Starts a service, which is killed when the test ends. Its plants get the ids after `firstId`. */
  static async start(
    t: TestContext,
    { firstId = 0, ...options }: Partial<ServiceOptions> & { readonly firstId?: number } = {},
  ): Promise<TestedService> {
    const folder = options.folder ?? (await makeDataPath(t));
    const service = new TestedService(folder, firstId, await startService({ ...options, folder }));
    cleanUp(t, async () => {
      service.#agent.destroy();
      service.#service.kill('SIGKILL');
      await service.#service.exited;
    });
    return service;
  }

  get pid(): number {
    return this.#service.pid;
  }

  get port(): number {
    return this.#service.port;
  }

  get output(): string {
    return this.#service.output();
  }

  /** Creates this many plants with new ids at once. */
  async create(count: number, name = 'fern'): Promise<Tally> {
    const ids = Array.from({ length: count }, () => (this.#nextId += 1n));
    return tally(
      await Promise.all(
        ids.map(async (id) => {
          const body = `{"id":${id},"name":${JSON.stringify(name)}}`;
          const response = await this.send({ method: 'POST', path: '/plants', body });
          if (response?.status === 200) this.#acknowledged.set(id, name);
          return response;
        }),
      ),
    );
  }

  /** Imports this many plants with new ids in one request. */
  async import(count: number, name: string): Promise<Tally> {
    const ids = Array.from({ length: count }, () => (this.#nextId += 1n));
    const body = ids.map((id) => `{"id":${id},"name":${JSON.stringify(name)}}\n`).join('');
    const headers = { 'content-type': 'application/x-ndjson' };
    const response = await this.send({ method: 'POST', path: '/plants/import', headers, body });
    if (response?.status === 200) for (const id of ids) this.#acknowledged.set(id, name);
    return tally([response]);
  }

  /** Undefined where the connection ended without a complete response. */
  async send(request: Parameters<typeof sendRequest>[1]): Promise<Response | undefined> {
    return sendRequest(this.port, request, this.#agent).catch(() => undefined);
  }

  /** Repeats a create until it gets 200. @throws AssertionError when that takes too long. */
  async requireRecovery(): Promise<void> {
    await until(async () => (await this.create(1))['200'] === 1, 'writes are stored again');
  }

  /** Resolves when the process has ended. @throws AssertionError when it does not end by itself. */
  async requireEnd(): Promise<Exit> {
    const late = new AbortController();
    const timer = wait(timeoutMs, undefined, { signal: late.signal }).catch(() => undefined);
    const exit = await Promise.race([this.#service.exited, timer]);
    late.abort();
    return exit ?? assert.fail(`The process did not end: ${this.output}`);
  }

  /** Sends SIGTERM; requests go on. */
  terminate(): void {
    this.#service.kill('SIGTERM');
  }

  /** SIGTERM. Resolves when the process has ended. */
  async stop(): Promise<Exit> {
    this.#agent.destroy();
    this.terminate();
    return this.requireEnd();
  }

  /** Starts the service once more without a fault, and compares the store with what was acknowledged. */
  async requireKept(t: TestContext): Promise<void> {
    const again = await TestedService.start(t, { folder: this.folder });
    assert.deepEqual(await again.stop().then(({ code }) => code), 0);
    const { rows, faults } = await readStored(this.folder);
    assert.deepEqual(faults, []);
    const lost = [...this.#acknowledged].filter(([id, name]) => rows.get(id)?.name !== name);
    assert.deepEqual(lost.slice(0, 5), [], `${lost.length} of ${this.#acknowledged.size} are lost`);
  }
}

/** A path for a data folder, removed with all beside it when the test has ended. */
export async function makeDataPath(t: TestContext): Promise<string> {
  return join(await makeFolder(t), 'data');
}

/** The lines of the log at this level. */
export function linesAt(output: string, level: string): string[] {
  return output.split('\n').filter((line) => line.includes(`"level":"${level}"`));
}

export function sum(...tallies: readonly Tally[]): Tally {
  const total: Record<string, number> = {};
  for (const [kind, count] of tallies.flatMap((each) => Object.entries(each))) total[kind] = (total[kind] ?? 0) + count;
  return total;
}

function tally(responses: readonly (Response | undefined)[]): Tally {
  return sum(
    ...responses.map((response) => {
      if (response === undefined) return { none: 1 };
      return { [/"error":(\d+)/.exec(response.body)?.[1] ?? String(response.status)]: 1 };
    }),
  );
}
