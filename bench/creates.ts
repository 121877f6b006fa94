/** Creates with unique ids; checks that each confirmed one has its row, and each row was sent. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Side } from './compare.ts';
import type { Bench } from './context.ts';
import type { LoadResult } from './load.ts';
import { type BenchPlant, plantAt, toBody } from './plants.ts';
import type { Service } from './service.ts';

/** More than any server reaches, so that no id is sent twice to the service. */
const ratePerSecondMax = 100_000;

interface Sent {
  readonly path: string;
  /** Indexes of its plants, in the order of the file. */
  readonly first: number;
  readonly count: number;
  answered: number;
  issued: number;
}

/** The reads between the creates of a file. */
export interface Reads {
  readonly perCreate: number;
  readonly toPath: () => string;
}

export const noReads: Reads = { perCreate: 0, toPath: () => '' };

/** A service as one side of a comparison of creates. */
export function toCreateSide(
  bench: Bench,
  name: string,
  service: Service,
): { readonly creates: Creates; readonly side: Side } {
  const { seconds } = bench.options;
  const creates = new Creates(bench, service);
  const linesOf = (turn: number): string => creates.linesOf(turn, seconds);
  return { creates, side: { name, server: service, linesOf, onResult: creates.note.bind(creates) } };
}

export class Creates {
  readonly #bench: Bench;
  readonly #service: Service;
  readonly #reads: Reads;
  readonly #toPlant: (index: number) => BenchPlant;
  readonly #rowsBefore: number;
  readonly #sent = new Map<number, Sent>();

  /** @param toPlant returns the plant of an index. */
  constructor(bench: Bench, service: Service, reads = noReads, toPlant: (index: number) => BenchPlant = plantAt) {
    this.#toPlant = toPlant;
    this.#bench = bench;
    this.#service = service;
    this.#reads = reads;
    this.#rowsBefore = countRows(service.folder);
  }

  /** Returns the request file of a turn. The other server may get it, too. */
  linesOf(turn: number, seconds: number): string {
    const made = this.#sent.get(turn);
    if (made !== undefined) return made.path;
    const { perCreate, toPath } = this.#reads;
    const count = Math.ceil((ratePerSecondMax * seconds) / (perCreate + 1));
    const first = this.#bench.takeIndexes(count);
    const path = this.#bench.workspace.makePath('creates');
    const toLines = (index: number): string =>
      `${Array.from({ length: perCreate }, () => `${toPath()}\n`).join('')}${toBody(this.#toPlant(index))}\n`;
    writeFileSync(path, Array.from({ length: count }, (_, offset) => toLines(first + offset)).join(''));
    this.#sent.set(turn, { path, first, count, answered: 0, issued: 0 });
    return path;
  }

  /** Records the responses of the service. */
  note(turn: number, { requests, issued }: LoadResult): void {
    const sent = this.#sent.get(turn);
    if (sent === undefined) return;
    sent.issued = Math.min(sent.count, Math.ceil(issued / (this.#reads.perCreate + 1)));
    // Each line without a response at the end may have been a create.
    sent.answered = Math.max(
      0,
      Math.min(sent.count, Math.trunc(issued / (this.#reads.perCreate + 1)) - (issued - requests)),
    );
  }

  /** Compares the confirmed creates with the store, row by row. */
  check(part: string): void {
    const { report } = this.#bench;
    const db = openDatabase(this.#service.folder);
    const find = db.prepare('SELECT name, tag FROM plants WHERE id = ?');
    let [answered, stored, inexact] = [0, 0, 0];
    for (const sent of this.#sent.values()) {
      let rows = 0;
      for (let index = sent.first; index < sent.first + sent.issued; index += 1) {
        const { id, name, tag } = this.#toPlant(index);
        const row = find.get(id);
        if (row === undefined) continue;
        rows += 1;
        if (row['name'] !== name || row['tag'] !== tag) inexact += 1;
      }
      if (rows < sent.answered) report.wrong(part, `${sent.answered} creates were answered, ${rows} are stored`);
      stored += rows;
      answered += sent.answered;
    }
    db.close();
    const unsent = countRows(this.#service.folder) - this.#rowsBefore - stored;
    if (unsent !== 0) report.wrong(part, `the store holds ${unsent} plants that nobody sent`);
    if (inexact !== 0) report.wrong(part, `${inexact} plants are stored with other fields than were sent`);
    report.say(`rows: ${answered} creates answered, ${stored} stored, ${inexact} of them inexact`, part);
  }
}

function openDatabase(folder: string): DatabaseSync {
  return new DatabaseSync(join(folder, 'plants.db'), { readOnly: true, readBigInts: true, timeout: 5_000 });
}

function countRows(folder: string): number {
  const db = openDatabase(folder);
  try {
    return Number(db.prepare('SELECT count(*) AS rows FROM plants').get()?.['rows']);
  } finally {
    db.close();
  }
}
