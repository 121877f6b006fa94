/** Collects what all clients of a history do and see, in one order. Sends nothing and judges only single responses. */
import type { Response } from '../send-request.ts';
import { absent, type History, type Operation, type Snapshot, type State, toState } from './operation.ts';

/** A plant as the history writes it. */
export interface Content {
  readonly name: string;
  readonly tag?: string;
}

/** What a response says of an operation; undefined when it says that nothing was read or written. */
export type Outcome = Pick<Operation, 'accepts' | 'result' | 'isAmbiguous'> | undefined;

export class Recorder implements History {
  readonly operations: Map<bigint, Operation[]>;
  readonly snapshots: Snapshot[] = [];
  /** A line for each response that is wrong whatever happened before. */
  readonly wrong: string[] = [];
  readonly #states = new Map<string, State>();
  readonly #unfinished = new Set<{ end: number }>();
  #place = 0;
  #names = 0;
  #requests = 0;

  constructor(ids: readonly bigint[]) {
    this.operations = new Map(ids.map((id) => [id, []]));
  }

  /** Number of responses so far. */
  get requests(): number {
    return this.#requests;
  }

  /** The next place in the order of requests and responses. */
  next(): number {
    return (this.#place += 1);
  }

  /** A name that no other write of this history has. */
  makeName(word: string): string {
    return `${word} ${(this.#names += 1)}`;
  }

  add(id: bigint, start: number, what: string, outcome: Outcome): void {
    if (outcome === undefined) return;
    this.#requests += 1;
    const operation = { ...outcome, start, end: this.next(), what };
    if (outcome.isAmbiguous === true) {
      operation.end = Infinity;
      this.#unfinished.add(operation);
    }
    this.operations.get(id)?.push(operation);
  }

  addSnapshot(snapshot: Omit<Snapshot, 'end'>): void {
    this.#requests += 1;
    this.snapshots.push({ ...snapshot, end: this.next() });
  }

  /** Call when the service has ended: what had not happened by then never will. */
  noteEndOfService(): void {
    const end = this.next();
    for (const operation of this.#unfinished) operation.end = end;
    this.#unfinished.clear();
  }

  /** Notes which state an entity tag names. */
  noteEtag(etag: string | undefined, state: State): void {
    if (etag === undefined) return;
    const known = this.#states.get(etag);
    if (known !== undefined && known !== state) this.wrong.push(`ETag ${etag} names ${known} and ${state}`);
    this.#states.set(etag, state);
  }

  /** The state that a noted entity tag names. */
  stateOf(etag: string): State {
    return this.#states.get(etag) ?? absent;
  }
}

/** Whether the service says that it did not execute the request. */
export function isNotExecuted({ status, body }: Response): boolean {
  // Busy, full, shutting down, unavailable.
  return status === 503 && /"error":503(01|02|04|05)\b/.test(body);
}

/** The plants of a list or of an export. Names of a history hold no `"id":`. */
export function readRows(text: string): Map<bigint, State> {
  const json = text.startsWith('[') ? text : `[${text.trim().split('\n').join(',')}]`;
  const rows = JSON.parse(json.replaceAll(/"id":(-?\d+)/g, '"id":"$1"')) as (Content & { id: string })[];
  return new Map(rows.map(({ id, ...content }) => [BigInt(id), toState(content)]));
}
