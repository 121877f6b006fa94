/**
 * The change log. Concurrent writers do not commit in the order of their numbers: a reader that
 * follows the numbers would skip changes. So readers follow positions in the log. Before each read
 * except `expiredIn`, committed changes are moved to the log.
 */
import type { Change, ChangePage, ChangeQuery, Lag } from '../../../domain/change-log.ts';
import type { TrimOptions } from '../../change-trimmer.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { int64Max, int64Min } from '../../../json/int64.ts';
import {
  type LogState,
  readOwnPosition,
  toChangePage,
  toChange,
  toLag,
  toNewestPage,
  toNext,
  toOldestAfter,
  toPosition,
  toRange,
} from '../../change-pages.ts';
import { moveChangesets } from './move-changesets.ts';
import { type OnConnection, type BoundStatement, runStatement, writeWithinMs } from '../connect/statement.ts';
import {
  changedInStatement,
  expiredInStatement,
  groupStatement,
  historyStatement,
  newestStatement,
  plantsInStatement,
  pageStatement,
  selectState,
  timeStatement,
  toLogState,
  toRecord,
} from './change-reads.ts';
import { deleteChangesetsStatement, lockLog, selectNewestChangeset } from './change-rows.ts';
import type { Transactions } from '../connect/transactions.ts';
import { trimStatement } from './trim-statement.ts';

/** Maximum transactions of one call that move changes; the next call continues, as after a copy. */
const roundsMax = 20;
/** How often to look for changes of other instances while somebody subscribes, in milliseconds. */
const lookEveryMs = 200;

export class PostgresChangeLog {
  readonly #read: OnConnection;
  readonly #transactions: Transactions;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<boolean> | undefined;

  /** @param transactions on a pool of their own: they are few, and must not wait for commits. */
  constructor(read: OnConnection, transactions: Transactions) {
    this.#read = read;
    this.#transactions = transactions;
  }

  async latest(): Promise<string> {
    if (!(await this.#catchUp())) throw behindError();
    const state = await this.#readState();
    return toPosition(state, state.last);
  }

  async oldestAfter(position: string): Promise<string> {
    await this.#catchUp();
    return toOldestAfter(position, await this.#readState());
  }

  async lagOf(position: string): Promise<Lag> {
    await this.#catchUp();
    const state = await this.#readState();
    const next = toNext(position, state);
    const [row] = await runStatement(this.#read, timeStatement(next));
    return toLag(next, row?.[0] as bigint | undefined, state);
  }

  async read(query: ChangeQuery): Promise<ChangePage> {
    const { after, order = 'asc', ids, newest } = query;
    const isComplete = await this.#catchUp();
    if (newest === true && ids !== undefined) {
      if (!isComplete) throw behindError();
      const rows = await runStatement(this.#read, newestStatement(ids));
      return toNewestPage(rows.map(toRecord), query, await this.#readState());
    }
    // Where a page begins at the end of the log, that must be the end.
    if (!isComplete && order === 'desc' && after === undefined) throw behindError();
    for (;;) {
      const state = await this.#readState();
      const range = toRange(query, state);
      if (!isComplete && order === 'asc' && range.to >= range.end) throw behindError();
      const rows = await runStatement(this.#read, pageStatement(query, range));
      // What a trim removed meanwhile is missing in the rows.
      const { trimmed } = await this.#readState();
      if (trimmed <= state.trimmed || trimmed < range.from)
        return toChangePage(rows.map(toRecord), query, range, state);
    }
  }

  async history(id: bigint, limit: number, before?: string): Promise<readonly Change[]> {
    if (!(await this.#catchUp()) && before === undefined) throw behindError();
    const state = await this.#readState();
    const position = before === undefined ? null : readOwnPosition(before, state);
    const rows = await runStatement(this.#read, historyStatement(id, limit, position));
    return rows.map((row) => toChange(toRecord(row), state));
  }

  newest(ids: readonly bigint[]): Promise<readonly Change[]> {
    return this.#readComplete(newestStatement(ids));
  }

  async ofGroup(group: string, limit: number, after?: bigint): Promise<readonly Change[]> {
    if (after === int64Max) return [];
    return this.#readComplete(groupStatement(group, limit, after === undefined ? int64Min : after + 1n));
  }

  async expiredIn(group: string): Promise<number> {
    const [row] = await runStatement(this.#read, expiredInStatement(group));
    return Number(row?.[0] ?? 0);
  }

  async plantsIn(group: string): Promise<number> {
    if (!(await this.#catchUp())) throw behindError();
    const [row] = await runStatement(this.#read, plantsInStatement(group));
    return Number(row?.[0] ?? 0);
  }

  async changedIn(group: string, ids: readonly bigint[]): Promise<ReadonlySet<bigint>> {
    if (!(await this.#catchUp())) throw behindError();
    const rows = await runStatement(this.#read, changedInStatement(group, ids));
    return new Set(rows.map(([id]) => id as bigint));
  }

  /** Reads changes of a log that has all that were committed. */
  async #readComplete(statement: BoundStatement): Promise<readonly Change[]> {
    if (!(await this.#catchUp())) throw behindError();
    const state = await this.#readState();
    const rows = await runStatement(this.#read, statement);
    return rows.map((row) => toChange(toRecord(row), state));
  }

  /** See `Trim`. */
  async trim(options: TrimOptions): Promise<boolean> {
    const isComplete = await this.#catchUp();
    const { statement, values } = trimStatement(options);
    const hasMore = await this.#transactions.runTransaction(async (connection, begun) => {
      await Promise.all([begun, connection.run(lockLog, [], writeWithinMs)]);
      return {
        sent: [connection.run(statement, values, writeWithinMs)],
        toResult: ([trimmed]) => typeof trimmed === 'object' && trimmed.rows[0]?.[0] === true,
      };
    });
    return hasMore || !isComplete;
  }

  /** See `StoreAdapter.otherInstances`. */
  subscribe(listener: () => void): () => void {
    let last: bigint | undefined;
    let isLooking = false;
    const look = async (): Promise<void> => {
      isLooking = true;
      try {
        await this.#catchUp();
        const state = await this.#readState();
        // The first look cannot tell: who reads only after calls may have missed what came before.
        if (last !== state.last) listener();
        last = state.last;
      } catch {
        // The cluster reports what is wrong; the next look may succeed.
      } finally {
        isLooking = false;
      }
    };
    const timer = setInterval(() => {
      if (!isLooking) void look();
    }, lookEveryMs);
    return () => clearInterval(timer);
  }

  async #readState(): Promise<LogState> {
    const [row] = await runStatement(this.#read, { statement: selectState, values: [] });
    return toLogState(row);
  }

  /**
   * Resolves to whether all changes are in the log that were committed before the call; if not,
   * further calls get there.
   */
  #catchUp(): Promise<boolean> {
    // A run that has begun may not see what was committed since, so this call gets the next run.
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      const moved = this.#moveAll();
      this.#running = moved.catch(() => undefined);
      return moved;
    });
    return this.#next;
  }

  async #moveAll(): Promise<boolean> {
    // Changesets that are committed later are for the next call: during an import there is always one more.
    const [newest] = await runStatement(this.#read, { statement: selectNewestChangeset, values: [] });
    if (newest === undefined) return true;
    for (let round = 0; round < roundsMax; round++) {
      const movedUpTo = await this.#moveSome();
      if (movedUpTo === undefined || movedUpTo >= (newest[0] as bigint)) return true;
    }
    return false;
  }

  /** Moves some changesets to the log. Resolves to `Moved.movedUpTo`. */
  async #moveSome(): Promise<bigint | undefined> {
    try {
      const { moved, movedUpTo } = await this.#transactions.runTransaction(moveChangesets);
      // Not in the transaction, which can be repeated. The next run would find changesets that were
      // not deleted.
      const removed =
        moved.length > 0 && runStatement(this.#read, deleteChangesetsStatement(moved)).catch(() => undefined);
      if (movedUpTo !== undefined) await removed;
      return movedUpTo;
    } catch (error) {
      // The caller reads; whether this was committed is seen by the next read.
      if (error instanceof ServiceError && error.code === 'store_failed')
        throw new ServiceError('store_unavailable', { cause: error.cause });
      throw error;
    }
  }
}

function behindError(): ServiceError {
  return new ServiceError('store_busy', { cause: new Error('the change log does not have all changes yet') });
}
