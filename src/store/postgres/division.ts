/**
 * How the plants of a database are divided into buckets: a transaction stays in one. One server has
 * one bucket, and nothing to divide; the division of Citus is in its folder.
 */
import type { StoredPlant } from '../../domain/schemas.ts';
import type { PlantQuery } from '../../domain/store.ts';
import type { Refusal, Result, Write } from '../write.ts';
import type { Rows, Statement } from './connect/connection.ts';
import type { BoundStatement } from './connect/statement.ts';

/** What a database was made for. */
export type Engine = 'postgres' | 'citus';

export interface Division {
  /** Number of buckets. They are stored: another number needs a new database. */
  readonly buckets: number;
  /** The bucket of a plant. It is stored, and must never change. */
  readonly bucketOf: (id: bigint) => number;
  readonly divide: (writes: readonly Write[]) => DividedWrites;
  /** What several servers need besides. Absent: there is one. */
  readonly servers?: ManyServers;
}

/** The writes of a commit in parts. */
export interface DividedWrites {
  readonly parts: readonly CommitPart[];
  /** Makes the results of the writes from the results of the parts. */
  readonly join: (results: readonly (readonly (Result | Refusal)[])[]) => readonly (Result | Refusal)[];
}

/** What one transaction commits. */
export interface CommitPart {
  /** The bucket of its plants. Undefined for other writes; with one bucket, all are in 0. */
  readonly bucket: number | undefined;
  readonly writes: readonly Write[];
}

export interface ManyServers {
  /** For a new connection that writes. */
  readonly prepareWriter: string;
  /** For each transaction that writes. */
  readonly enter: Statement;
  /** The statements that begin a snapshot of all buckets; its session ends with it. */
  readonly toSnapshot: (begin: string) => readonly string[];
  /** The plants of a page that have words. */
  readonly search: (
    run: (statement: BoundStatement) => Promise<Rows['rows']>,
    query: PlantQuery,
  ) => Promise<readonly StoredPlant[]>;
}

export const undivided: Division = {
  buckets: 1,
  bucketOf: () => 0,
  divide: (writes) => ({ parts: [{ bucket: 0, writes }], join: ([results = []]) => results }),
};
