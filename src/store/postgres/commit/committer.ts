/**
 * Commits writes, usually as one transaction, on Citus as one for each bucket. Knows neither queue
 * nor pool.
 */
import { ServiceError } from '../../../domain/errors.ts';
import type { StoredPlant } from '../../../domain/schemas.ts';
import {
  idsOf,
  isPlantWrite,
  isTokenWrite,
  type PlantWrite,
  refuse,
  type Refusal,
  type Result,
  type Write,
} from '../../write.ts';
import type { Connection } from '../connect/connection.ts';
import type { Division, Part } from '../division.ts';
import { type Create, firstOfEach, toOutcomes } from './create-outcomes.ts';
import { RowsInMemory } from './rows-in-memory.ts';
import { createPlants, lockPlants, lockSchema, sendChanges } from './plant-writes.ts';
import { writeToken } from '../tables/token-rows.ts';
import { writeWebhook } from '../tables/webhook-rows.ts';
import { attemptsWithinMs, runAlone, type Transactions } from '../connect/transactions.ts';
import { writeWithinMs } from '../connect/query.ts';

/** Parts of a commit that are committed at once. */
export const partsAtOnce = 4;

export class Committer {
  readonly #transactions: Transactions;
  readonly #slotOf: (connection: Connection) => number;
  readonly #division: () => Division;

  /** @param slotOf the row of the counts that this connection writes. */
  constructor(transactions: Transactions, slotOf: (connection: Connection) => number, division: () => Division) {
    this.#transactions = transactions;
    this.#slotOf = slotOf;
    this.#division = division;
  }

  /**
   * See `CommitWrites`. A write that fails by a bug of ours is refused with `internal`; the
   * others are committed.
   */
  async commit(writes: readonly Write[]): Promise<readonly (Result | Refusal)[]> {
    const { parts, join } = this.#division().divide(writes);
    // All parts share a deadline: while a node is away, other writes must not wait for each part in
    // turn.
    const deadline = performance.now() + attemptsWithinMs;
    const [first] = parts;
    if (parts.length === 1 && first !== undefined) return join([await this.#commitPart(first, deadline)]);
    const results: (readonly (Result | Refusal)[])[] = [];
    const waiting = parts.entries();
    const commitWaiting = async (): Promise<void> => {
      for (const [index, part] of waiting) results[index] = await this.#tryPart(part, deadline);
    };
    await Promise.all(Array.from({ length: partsAtOnce }, commitWaiting));
    return join(results);
  }

  async #commitPart(part: Part, deadline: number): Promise<readonly (Result | Refusal)[]> {
    try {
      return await this.#commit(part, deadline);
    } catch (error) {
      if (!isBug(error) || part.writes.length === 1) throw error;
    }
    const results: (Result | Refusal)[] = [];
    for (const write of part.writes) results.push(...(await this.#tryPart({ ...part, writes: [write] }, deadline)));
    return results;
  }

  /** Commits a part; a failure refuses the writes of this part alone. */
  async #tryPart(part: Part, deadline: number): Promise<readonly (Result | Refusal)[]> {
    try {
      return await this.#commitPart(part, deadline);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return part.writes.map(() => ({ refused: error.code, reason: String(error.cause) }));
    }
  }

  #commit({ bucket, writes }: Part, deadline: number): Promise<readonly (Result | Refusal)[]> {
    const isOneStatement = this.#division().servers === undefined && writes.every((write) => write.kind === 'create');
    if (isOneStatement) return this.#create(writes, deadline);
    return this.#commitTogether(bucket, writes, deadline);
  }

  /** Plants to create need not be read first: one statement stores those whose id is free. */
  async #create(writes: readonly Create[], deadline: number): Promise<readonly (Result | Refusal)[]> {
    const firsts = firstOfEach(writes);
    const sent = [...firsts.values()].sort(byId);
    const taken = await this.#transactions.run(
      (connection) => runAlone(connection, true, () => createPlants(connection, sent, this.#slotOf(connection))),
      deadline,
    );
    const stored = await this.#readTaken(taken, deadline);
    const outcomes = toOutcomes(writes, firsts, taken, stored);
    // Create the plants that were deleted since. If this fails, the other plants stay stored.
    const again = writes.filter((_, index) => outcomes[index] === undefined);
    const results = again.length === 0 ? [] : await this.#tryPart({ bucket: 0, writes: again }, deadline);
    const next = results[Symbol.iterator]();
    return outcomes.map((outcome) => outcome ?? next.next().value ?? refuse('internal'));
  }

  /**
   * The plants that have these ids. They are locked, so that an answer about them waits until
   * the standbys have them. A lock that is not confirmed is no answer: it is taken again.
   */
  async #readTaken(ids: readonly bigint[], deadline: number): Promise<ReadonlyMap<bigint, StoredPlant | Refusal>> {
    if (ids.length === 0) return new Map();
    try {
      return await this.#transactions.run(
        (connection) => runAlone(connection, false, () => lockPlants(connection, 0, ids)),
        deadline,
      );
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      // The other plants are stored; these writes changed nothing.
      return new Map(ids.map((id) => [id, { refused: error.code }]));
    }
  }

  #commitTogether(
    bucket: number | undefined,
    writes: readonly Write[],
    deadline: number,
  ): Promise<readonly (Result | Refusal)[]> {
    const ids = [...new Set(writes.flatMap((write) => (isPlantWrite(write) ? idsOf(write) : [])))].sort(ascending);
    return this.#transactions.runTransaction(async (connection, begun) => {
      const { servers } = this.#division();
      const entered = servers && connection.run(servers.enter, [], writeWithinMs);
      const [stored] = await Promise.all([
        bucket === undefined || ids.length === 0 ? new Map<bigint, StoredPlant>() : lockPlants(connection, bucket, ids),
        begun,
        entered,
      ]);
      const changes = new RowsInMemory(stored);
      const results = writes.map((write) => (isPlantWrite(write) ? changes.apply(write) : undefined));
      const plantRows =
        bucket === undefined
          ? [lockSchema(connection)]
          : sendChanges(connection, bucket, changes.toRowChanges(), this.#slotOf(connection));
      const otherRows = writes.flatMap((write) => (isPlantWrite(write) ? [] : [writeRow(connection, write)]));
      return {
        sent: [...plantRows, ...otherRows],
        toResult: (answers) => {
          const changed = answers.slice(plantRows.length)[Symbol.iterator]();
          return writes.map((write, index) => results[index] ?? toResult(write, changed.next().value === 1));
        },
      };
    }, deadline);
  }
}

function isBug(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'internal';
}

/** Resolves to the number of rows that the write has changed: one or none. */
function writeRow(connection: Connection, write: Exclude<Write, PlantWrite>): Promise<number> {
  return isTokenWrite(write) ? writeToken(connection, write, writeWithinMs) : writeWebhook(connection, write);
}

function toResult(write: Write, isChanged: boolean): Result | Refusal {
  return write.kind === 'touch-token' ? 'touched' : isChanged;
}

function ascending(one: bigint, other: bigint): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function byId(one: Create, other: Create): number {
  return ascending(one.plant.id, other.plant.id);
}
