/** Creates with unique ids; checks that each confirmed one is stored, and nothing else. */
import type { Bench } from './context.ts';
import type { Side } from './compare.ts';
import { type BenchPlant, plantAt, toBody } from './plants.ts';
import { countStored } from './service.ts';
import type { Server } from './workspace.ts';
import type { LoadResult } from './wrk.ts';

/** More than any server reaches, so that no id is sent twice to the service. */
const ratePerSecondMax = 100_000;

export class Creates {
  readonly #bench: Bench;
  readonly #service: Server;
  readonly #toPlant: (index: number) => BenchPlant;
  readonly #storedBefore: number;
  readonly #files = new Map<number, string>();
  #answered = 0;
  #issued = 0;

  /** @param toPlant returns the plant of an index. */
  static async open(bench: Bench, service: Server, toPlant: (index: number) => BenchPlant = plantAt): Promise<Creates> {
    return new Creates(bench, service, toPlant, await countStored(service.port));
  }

  private constructor(bench: Bench, service: Server, toPlant: (index: number) => BenchPlant, storedBefore: number) {
    this.#bench = bench;
    this.#service = service;
    this.#toPlant = toPlant;
    this.#storedBefore = storedBefore;
  }

  /** The service as a side of a comparison. */
  toSide(name: string): Side {
    return {
      name,
      server: this.#service,
      linesOf: (turn) => this.linesOf(turn),
      onResult: (result) => this.note(result),
    };
  }

  /** Returns the request file of a turn. The other server may get it, too. */
  linesOf(turn: number): string {
    const made = this.#files.get(turn);
    if (made !== undefined) return made;
    const { workspace, options, takeIndexes } = this.#bench;
    const count = ratePerSecondMax * options.seconds;
    const first = takeIndexes(count);
    const lines = Array.from({ length: count }, (_, offset) => `${toBody(this.#toPlant(first + offset))}\n`);
    const path = workspace.write('creates', lines.join(''));
    this.#files.set(turn, path);
    return path;
  }

  /** Records the responses of the service. */
  note({ requests, failures, issued }: LoadResult): void {
    this.#answered += requests - failures;
    this.#issued += issued;
  }

  /** Compares the confirmed creates with the number of stored plants. */
  async check(part: string): Promise<void> {
    const stored = (await countStored(this.#service.port)) - this.#storedBefore;
    const text = `${this.#answered} creates answered, ${this.#issued} sent, ${stored} stored`;
    if (stored < this.#answered || stored > this.#issued) this.#bench.report.wrong(part, text);
    else this.#bench.report.say(text, part);
  }
}
