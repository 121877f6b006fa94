/** One instance of the service, with what its clients see of it: whether writes are stored, and what /readyz says. */
import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Ledger } from '../crash/ledger.ts';
import { makePlant, sendAttempt } from '../crash/load.ts';
import type { Random } from '../crash/random.ts';
import { sendRequest } from '../crash/send-request.ts';
import { type ServiceProcess, startService } from '../crash/service-process.ts';

/** Pause between two samples, in milliseconds. */
const sampleMs = 100;
/**
 * How long /readyz may lag behind what becomes of writes, in milliseconds: a hanging database is noticed after 2 seconds at most, by a
 * look each second. The rest is for a busy machine.
 */
const lagMs = 4_000;

interface Sample {
  readonly from: number;
  readonly to: number;
  readonly isGood: boolean;
}

export class Instance {
  readonly #options: { readonly folder: string; readonly url: string };
  readonly #agent = new Agent({ keepAlive: true });
  #process: (ServiceProcess & { readonly port: number }) | undefined;
  #isKilled = false;
  /** A line for each error that was seen. */
  readonly faults: string[] = [];

  constructor(options: { readonly folder: string; readonly url: string }) {
    this.#options = options;
  }

  get port(): number {
    return this.#process?.port ?? 0;
  }

  async start(): Promise<void> {
    const { folder, url } = this.#options;
    this.#isKilled = false;
    const process = await startService({ folder, env: { DATABASE_URL: url } });
    this.#process = process;
    void process.exited.then(({ code, signal, output }) => {
      if (!this.#isKilled) this.faults.push(`An instance ended (${code ?? signal ?? ''}): ${output.slice(-500)}`);
    });
  }

  async kill(): Promise<void> {
    this.#isKilled = true;
    this.#process?.kill('SIGKILL');
    await this.#process?.exited;
  }

  /** Resolves to the time until a write is stored, in milliseconds. */
  async untilWritable(ledger: Ledger, random: Random, withinMs: number): Promise<number> {
    const began = performance.now();
    for (;;) {
      const attempt = ledger.add(makePlant(ledger, random));
      await sendAttempt(this.port, ledger, attempt, this.#agent);
      const tookMs = performance.now() - began;
      if (attempt.knowledge === 'stored') return tookMs;
      if (tookMs > withinMs) throw new Error(`An instance stores nothing for ${Math.round(tookMs)} ms`);
      await wait(sampleMs);
    }
  }

  /** Writes and asks /readyz until `isOver`, and compares them. */
  async watch(ledger: Ledger, random: Random, isOver: () => boolean): Promise<void> {
    const port = this.port;
    const writes: Sample[] = [];
    const answers: Sample[] = [];
    const sample = async (samples: Sample[], ask: () => Promise<boolean>): Promise<void> => {
      while (!isOver()) {
        const from = performance.now();
        const isGood = await ask();
        samples.push({ from, to: performance.now(), isGood });
        await wait(sampleMs);
      }
    };
    await Promise.all([
      sample(writes, async () => {
        const attempt = ledger.add(makePlant(ledger, random));
        await sendAttempt(port, ledger, attempt, this.#agent);
        return attempt.knowledge === 'stored';
      }),
      sample(answers, async () => {
        const response = await sendRequest(port, { method: 'GET', path: '/readyz' }, this.#agent).catch(
          () => undefined,
        );
        return response?.status === 200;
      }),
    ]);
    if (!this.#isKilled) this.faults.push(...findUntrue(answers, writes));
  }

  close(): Promise<void> {
    this.#agent.destroy();
    return this.kill();
  }
}

/** An answer is untrue when all writes near it, before and after, speak against it. One that was stored late has waited, so it does not. */
function findUntrue(answers: readonly Sample[], writes: readonly Sample[]): string[] {
  return answers.flatMap(({ isGood, from, to }) => {
    const near = writes.filter((write) => write.to >= from - lagMs && write.from <= to + lagMs);
    const isSeen =
      near.some((write) => write.from <= from - lagMs / 2) && near.some((write) => write.to >= to + lagMs / 2);
    const isLate = near.some((write) => write.isGood && write.to - write.from > lagMs / 2);
    if (!isSeen || isLate || near.some((write) => write.isGood === isGood)) return [];
    return [
      `/readyz said that the service is ${isGood ? '' : 'not '}ready while writes were ${isGood ? 'not ' : ''}stored`,
    ];
  });
}
