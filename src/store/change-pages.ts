/** Pages of the change log, for every adapter. A position is the log's identity and a number. */
import { type Change, type ChangePage, type ChangeQuery, isWanted, type Lag } from '../domain/change-log.ts';
import { ServiceError } from '../domain/errors.ts';
import { plantFields } from '../domain/plant.ts';
import type { StoredPlant } from '../domain/schemas.ts';

/** Changes that one page examines at most. */
const examinedMax = 5_000;

/** The bounds of a log. */
export interface LogState {
  /** Differs between stores, and between a store and its restored backup. */
  readonly identity: string;
  /** The newest position. */
  readonly last: bigint;
  /** The newest position that was removed; 0 if none was. */
  readonly trimmed: bigint;
}

export function toPosition({ identity }: LogState, number: bigint): string {
  return `${identity}-${number}`;
}

/**
 * Returns the number of a position. What follows it may have been removed.
 * @throws ServiceError `position_unknown` if it is not one of this log.
 */
export function readOwnPosition(position: string, { identity, last }: LogState): bigint {
  const [, of, digits] = /^([0-9a-f]{8})-([0-9]{1,18})$/.exec(position) ?? [];
  const number = BigInt(digits ?? -1);
  if (of !== identity || number > last) throw new ServiceError('position_unknown');
  return number;
}

/**
 * Returns the number of a position.
 * @throws ServiceError `position_unknown` if it is not one of this log, or what follows was
 * removed.
 */
function readPosition(position: string, state: LogState): bigint {
  const number = readOwnPosition(position, state);
  if (number < state.trimmed) throw new ServiceError('position_unknown');
  return number;
}

/** See `ChangeLog.oldestAfter`. */
export function toOldestAfter(position: string, state: LogState): string {
  return toPosition(state, toNext(position, state) - 1n);
}

/** Returns the position of the oldest change that is kept after `position`. @throws ServiceError like `readOwnPosition`. */
export function toNext(position: string, state: LogState): bigint {
  return max(readOwnPosition(position, state), state.trimmed) + 1n;
}

/** @param at of the change at `next`; undefined if there is none. */
export function toLag(next: bigint, at: bigint | undefined, { last }: LogState): Lag {
  return { changes: Number(last - next + 1n), ...(at === undefined ? {} : { since: Number(at) }) };
}

/** The range of positions that a page examines, both ends included; empty if `from > to`. */
export interface Range {
  readonly from: bigint;
  readonly to: bigint;
  /** The bound of the log in this order. */
  readonly end: bigint;
}

/**
 * @param examined length of the range, at most.
 * @throws ServiceError like `readPosition`.
 */
export function toRange(
  { after, order = 'asc' }: Pick<ChangeQuery, 'after' | 'order'>,
  state: LogState,
  examined = BigInt(examinedMax),
): Range {
  if (order === 'asc') {
    const from = (after === undefined ? state.trimmed : readPosition(after, state)) + 1n;
    return { from, to: min(from + examined - 1n, state.last), end: state.last };
  }
  // What is older than a position may have been removed: then all that is kept was read.
  const to = after === undefined ? state.last : readOwnPosition(after, state) - 1n;
  const end = state.trimmed + 1n;
  return { from: max(to - examined + 1n, end), to, end };
}

/** A change as it is stored. */
export interface ChangeRecord {
  readonly position: bigint;
  /** Milliseconds. */
  readonly at: number;
  readonly id: bigint;
  /** Undefined after a deletion. */
  readonly plant: StoredPlant | undefined;
  /** Undefined before a creation. */
  readonly before: StoredPlant | undefined;
  /** The id of a token. */
  readonly token: string | undefined;
  readonly tokenName: string | undefined;
  readonly group: string | undefined;
}

export function toChange(record: ChangeRecord, state: LogState): Change {
  const { id, at, plant, before, token, tokenName, group } = record;
  return {
    position: toPosition(state, record.position),
    at,
    kind: before === undefined ? 'created' : plant === undefined ? 'deleted' : 'replaced',
    id,
    ...(plant === undefined ? {} : { plant }),
    ...(before === undefined ? {} : { before }),
    ...(token === undefined ? {} : { by: { token, name: tokenName ?? '' } }),
    ...(group === undefined ? {} : { group }),
  };
}

/** @param records those found in the range, at most `limit`. */
export function toChangePage(
  records: readonly ChangeRecord[],
  { order = 'asc', limit }: Pick<ChangeQuery, 'order' | 'limit'>,
  { from, to, end }: Range,
  state: LogState,
): ChangePage {
  const last = records.length === limit ? records.at(-1) : undefined;
  const examined = order === 'asc' ? max(to, from - 1n) : min(from, to + 1n);
  const next = last?.position ?? examined;
  return {
    changes: records.map((record) => toChange(record, state)),
    next: toPosition(state, next),
    hasMore: order === 'asc' ? next < end : next > end,
  };
}

/** @param newest the newest change of each plant that the page may have, read before `state`. */
export function toNewestPage(newest: readonly ChangeRecord[], query: ChangeQuery, state: LogState): ChangePage {
  const range = toRange(query, state, state.last);
  const found = newest
    .filter(({ position }) => position >= range.from && position <= range.to)
    .filter((record) => isWanted(toChange(record, state), query))
    .sort((one, other) => (one.position < other.position === (query.order !== 'desc') ? -1 : 1));
  return toChangePage(found.slice(0, query.limit), query, range, state);
}

/** Columns of a change: the fields of the plant now, then before. */
export const stateColumns = [...plantFields, ...plantFields.map((field) => `${field}_before`)];

/** The kind of a change, as an SQL expression on a table "c". */
export const kindSql = `CASE WHEN c.name IS NULL THEN 'deleted' WHEN c.name_before IS NULL THEN 'created' ELSE 'replaced' END`;

function min(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
