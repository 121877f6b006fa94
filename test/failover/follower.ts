/** A client that follows the change log from its beginning, whatever happens to the service in the meantime. */
import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { NewPlant } from '../../src/domain/schemas.ts';
import { sendRequest } from '../crash/send-request.ts';

const pauseMs = 200;
const endWithinMs = 120_000;
const start = '/plants/changes?limit=1000';

export class Follower {
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #seen = new Map<bigint, number>();
  readonly #wrong: string[] = [];
  #path = start;

  constructor(port: number) {
    this.#port = port;
  }

  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.#readOne();
      await wait(pauseMs);
    }
  }

  /** Call when nothing is written any more. */
  async readToEnd(): Promise<void> {
    const deadline = performance.now() + endWithinMs;
    while ((await this.#readOne()) !== 0)
      if (performance.now() > deadline) throw new Error('The change log does not end');
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Returns a line for each plant that was not seen exactly once; the plants are only created. */
  compare(plants: ReadonlyMap<bigint, NewPlant>): readonly string[] {
    const ids = new Set([...plants.keys(), ...this.#seen.keys()]);
    const found = [...ids].flatMap((id) => {
      const count = this.#seen.get(id) ?? 0;
      return count === 1 && plants.has(id) ? [] : [`a follower saw ${count} changes of plant ${id}`];
    });
    return [...this.#wrong, ...found];
  }

  /** Resolves to the number of changes; undefined when the service did not answer. */
  async #readOne(): Promise<number | undefined> {
    const response = await sendRequest(this.#port, { method: 'GET', path: this.#path }, this.#agent).catch(
      () => undefined,
    );
    if (response === undefined || response.status === 503) return undefined;
    const { status, body } = response;
    if (status !== 200) {
      this.#wrong.push(`GET ${this.#path} was answered with ${status} ${body}`);
      return 0;
    }
    const ids = [...body.matchAll(/"plant":\{"id":(-?\d+),/g)].map(([, id = '']) => BigInt(id));
    for (const id of ids) this.#seen.set(id, (this.#seen.get(id) ?? 0) + 1);
    const last = [...body.matchAll(/"position":"([^"]+)","at"/g)].at(-1)?.[1];
    if (last !== undefined) this.#path = `${start}&after=${encodeURIComponent(last)}`;
    return ids.length;
  }
}
