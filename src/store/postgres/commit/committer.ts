/**
 * Commits writes. Knows neither queue nor pool. The way of a commit, by the names of the functions:
 *
 *   commit              all writes
 *     divide              into parts: one for each bucket on Citus, or else a single one (division.ts)
 *     #commitPart         a part; after a failure by a bug of ours, each of its writes alone
 *       #create             if it has only creates, without Citus
 *         commitCreates       one statement stores those whose id is free (commit-creates.ts)
 *       #commitTogether     anything else, in one transaction:
 *         lockPlants          locks and reads all rows, in the order of their ids (plant-writes.ts)
 *         RowsInMemory        decides each write by them, as `decideWrite` says (rows-in-memory.ts)
 *         sendChanges         sends the new rows, and the changes as a changeset, with the COMMIT
 *     join                the results of the parts to a result for each write
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
import { writeWithinMs } from '../connect/statement.ts';
import { attemptsWithinMs, type Transactions } from '../connect/transactions.ts';
import type { CommitPart, Division } from '../division.ts';
import { writeToken } from '../tables/token-rows.ts';
import { writeWebhook } from '../tables/webhook-rows.ts';
import { commitCreates, type Create } from './commit-creates.ts';
import { lockPlants, lockSchema, sendChanges } from './plant-writes.ts';
import { RowsInMemory } from './rows-in-memory.ts';

/** Parts of a commit that are committed at once. */
export const partsAtOnce = 4;

/** In the order of the writes. */
type Results = readonly (Result | Refusal)[];

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
  async commit(writes: readonly Write[]): Promise<Results> {
    const { parts, join } = this.#division().divide(writes);
    // All parts share a deadline: while a node is away, other writes must not wait for each part in
    // turn.
    const deadline = performance.now() + attemptsWithinMs;
    const [first] = parts;
    if (parts.length === 1 && first !== undefined) return join([await this.#commitPart(first, deadline)]);
    return join(await this.#commitParts(parts, deadline));
  }

  /** Some at once. A failure refuses the writes of its part alone. */
  async #commitParts(parts: readonly CommitPart[], deadline: number): Promise<readonly Results[]> {
    const results: Results[] = [];
    const waiting = parts.entries();
    const commitWaiting = async (): Promise<void> => {
      for (const [index, part] of waiting) results[index] = await this.#commitOrRefuse(part, deadline);
    };
    await Promise.all(Array.from({ length: partsAtOnce }, commitWaiting));
    return results;
  }

  async #commitOrRefuse(part: CommitPart, deadline: number): Promise<Results> {
    try {
      return await this.#commitPart(part, deadline);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return part.writes.map(() => ({ refused: error.code, reason: String(error.cause) }));
    }
  }

  async #commitPart(part: CommitPart, deadline: number): Promise<Results> {
    const { bucket, writes } = part;
    const isOneStatement = this.#division().servers === undefined && writes.every((write) => write.kind === 'create');
    try {
      if (isOneStatement) return await this.#create(writes, deadline);
      return await this.#commitTogether(bucket, writes, deadline);
    } catch (error) {
      if (!isBug(error) || writes.length === 1) throw error;
    }
    const results: (Result | Refusal)[] = [];
    for (const write of writes) results.push(...(await this.#commitOrRefuse({ bucket, writes: [write] }, deadline)));
    return results;
  }

  /** Commits creates, then once more those whose id another plant had that is gone now. */
  async #create(writes: readonly Create[], deadline: number): Promise<Results> {
    const outcomes = await commitCreates(this.#transactions, this.#slotOf, writes, deadline);
    const again = writes.filter((_, index) => outcomes[index] === undefined);
    // If this fails, the other plants stay stored.
    const results = again.length === 0 ? [] : await this.#commitOrRefuse({ bucket: 0, writes: again }, deadline);
    const next = results[Symbol.iterator]();
    return outcomes.map((outcome) => outcome ?? next.next().value ?? refuse('internal'));
  }

  #commitTogether(bucket: number | undefined, writes: readonly Write[], deadline: number): Promise<Results> {
    const ids = [...new Set(writes.flatMap((write) => (isPlantWrite(write) ? idsOf(write) : [])))];
    return this.#transactions.runTransaction(async (connection, begun) => {
      const { servers } = this.#division();
      const entered = servers && connection.run(servers.enter, [], writeWithinMs);
      const [stored] = await Promise.all([
        bucket === undefined || ids.length === 0 ? new Map<bigint, StoredPlant>() : lockPlants(connection, bucket, ids),
        begun,
        entered,
      ]);
      const rows = new RowsInMemory(stored);
      const results = writes.map((write) => (isPlantWrite(write) ? rows.apply(write) : undefined));
      const ofPlants =
        bucket === undefined
          ? [lockSchema(connection)]
          : sendChanges(connection, bucket, rows.toRowChanges(), this.#slotOf(connection));
      const ofOthers = writes.flatMap((write) => (isPlantWrite(write) ? [] : [writeRow(connection, write)]));
      return {
        sent: [...ofPlants, ...ofOthers],
        toResult: (answers) => {
          const changed = answers.slice(ofPlants.length)[Symbol.iterator]();
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
