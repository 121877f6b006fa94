/** What was sent and what was answered, and what therefore must be, may be and must not be in the store. Sends nothing itself. */
import { parsePlant } from '../../src/client/responses.ts';
import { plantFields } from '../../src/domain/plant.ts';
import type { NewPlant } from '../../src/domain/schemas.ts';
import type { PlantAnswer } from './send-request.ts';

/** What is known of a plant: it must be stored, it must not, an other holds its id, or nothing. */
export type Knowledge = 'stored' | 'absent' | 'refused' | 'unknown';

/** A plant that was sent. A contended id has several. */
export interface Attempt {
  readonly plant: NewPlant;
  knowledge: Knowledge;
  /** Requests that may still write it: under way, or without an answer that says what became of them. */
  open: number;
}

/** A line for each broken promise, by kind. */
export interface Findings {
  /** Acknowledged, and not there as it was sent. */
  readonly lost: string[];
  /** There, and never sent, or refused with the word that nothing was written. */
  readonly invented: string[];
  /** There, under an id that was sent, with fields that were not. */
  readonly torn: string[];
  /** A race for an id with two winners or with none. */
  readonly contended: string[];
  /** An answer that no promise allows. */
  readonly wrong: string[];
}

export class Ledger {
  readonly #attempts = new Map<bigint, Attempt[]>();
  readonly findings: Findings;
  /** Number of plants answered with 200 for the first time. */
  acknowledged = 0;
  /** Number of contended ids. */
  races = 0;

  /** Adds what it finds to `findings`. */
  constructor(findings: Findings = noFindings()) {
    this.findings = findings;
  }

  has(id: bigint): boolean {
    return this.#attempts.has(id);
  }

  /** Notes a plant before it is sent for the first time. */
  add(plant: NewPlant): Attempt {
    const attempt: Attempt = { plant, knowledge: 'absent', open: 0 };
    const others = this.#attempts.get(plant.id) ?? [];
    if (others.length === 1) this.races += 1;
    this.#attempts.set(plant.id, [...others, attempt]);
    return attempt;
  }

  attempts(): Attempt[] {
    return [...this.#attempts.values()].flat();
  }

  /** Notes that a request for the plant is under way; several may be. */
  noteSent(attempt: Attempt): void {
    attempt.open += 1;
    if (attempt.knowledge === 'absent') attempt.knowledge = 'unknown';
  }

  /** Draws from an answer what it says; `before` is what was known when the request left. */
  noteAnswer(attempt: Attempt, before: Knowledge, answer: PlantAnswer): void {
    const { plant, knowledge } = attempt;
    const { status, body, isReplayed } = answer;
    const told = `${plant.id} was answered with ${status} ${body}`;
    if (status === 200) {
      if (!isEqual(readPlant(plant.id, body), plant)) this.findings.wrong.push(`${told}, which is another plant`);
      if (before === 'stored' && !isReplayed) this.findings.lost.push(`${told}, and no replay, though it was stored`);
      if (knowledge === 'refused') this.findings.contended.push(`${told}, after it was refused`);
      if (knowledge !== 'stored') this.acknowledged += 1;
      attempt.knowledge = 'stored';
    } else if (status === 409) {
      if (knowledge === 'stored') this.findings.lost.push(`${told}, though it was acknowledged`);
      if ((this.#attempts.get(plant.id)?.length ?? 0) < 2) this.findings.wrong.push(`${told}, though nobody contends`);
      attempt.knowledge = 'refused';
    } else if (status === 503 && /"error":503(01|02|04|05)\b/.test(body)) {
      // Busy, full, shutting down and unavailable say that this request has written nothing.
      attempt.open -= 1;
      if (attempt.open === 0 && knowledge === 'unknown') attempt.knowledge = 'absent';
    } else if (status !== 503) {
      this.findings.wrong.push(told);
    }
  }

  /** Holds the store's content against the ledger; afterwards nothing is unknown, since a restart has decided it. */
  settle(rows: ReadonlyMap<bigint, NewPlant>): void {
    for (const row of rows.values()) {
      const attempts = this.#attempts.get(row.id);
      const sent = attempts?.find(({ plant }) => isEqual(plant, row));
      const told = `${row.id} is stored as ${JSON.stringify(row.name)}`;
      if (attempts === undefined) this.findings.invented.push(`${told}, and was never sent`);
      else if (sent === undefined) this.findings.torn.push(`${told}, and was sent otherwise`);
      else if (sent.knowledge === 'absent') this.findings.invented.push(`${told}, though it was not to be written`);
      else if (sent.knowledge === 'refused') this.findings.contended.push(`${told}, though it was refused`);
      else sent.knowledge = 'stored';
    }
    for (const [id, attempts] of this.#attempts) this.#settleId(id, attempts, rows.get(id));
  }

  #settleId(id: bigint, attempts: readonly Attempt[], row: NewPlant | undefined): void {
    const winners = attempts.filter(({ knowledge }) => knowledge === 'stored');
    if (winners.length > 1) this.findings.contended.push(`${id} was acknowledged with different fields`);
    if (winners.some(({ plant }) => !isEqual(plant, row))) this.findings.lost.push(`${id} was acknowledged`);
    if (row === undefined && attempts.some(({ knowledge }) => knowledge === 'refused')) {
      this.findings.contended.push(`${id} was refused as taken, and nobody has it`);
    }
    for (const attempt of attempts) {
      attempt.open = 0;
      if (attempt.knowledge === 'unknown') attempt.knowledge = 'absent';
    }
  }
}

export function noFindings(): Findings {
  return { lost: [], invented: [], torn: [], contended: [], wrong: [] };
}

function readPlant(id: bigint, body: string): NewPlant | undefined {
  try {
    return { ...parsePlant(body), id };
  } catch {
    return undefined;
  }
}

function isEqual(one: NewPlant | undefined, other: NewPlant | undefined): boolean {
  return one?.id === other?.id && plantFields.every((field) => one?.[field] === other?.[field]);
}
