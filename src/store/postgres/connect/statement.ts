/** A statement that is bound to its values, and how it is run. The caller chooses the connection. */
import type { Connection, Rows, Statement } from './connection.ts';

export interface BoundStatement {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

/** Runs work that reads, or that may be lost, on some connection. */
export type OnConnection = <Result>(work: (connection: Connection) => Promise<Result>) => Promise<Result>;

/** Longest time for one statement that reads, in milliseconds. */
export const readWithinMs = 2_000;
/** Time-out of a statement that writes, in milliseconds. */
export const writeWithinMs = 5_000;

/** Resolves to the rows of the statement. */
export async function runStatement(run: OnConnection, { statement, values }: BoundStatement): Promise<Rows['rows']> {
  return (await run((connection) => connection.run(statement, values, readWithinMs))).rows;
}

/** The server refuses U+0000, so no row has it. */
export function canBeStored(value: unknown): boolean {
  return typeof value !== 'string' || !value.includes('\0');
}
