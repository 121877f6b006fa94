/**
 * The change log port: every committed change of a plant, in an order that no reader can skip in.
 * A change is written in the transaction of its plant.
 */
import type { Change as DescribedChange } from './schemas.ts';

/** One change of one plant. Positions of one store are unique, and grow in the order of the log. */
export interface Change extends Omit<DescribedChange, 'at'> {
  /** When it was written, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly at: number;
}

export type ChangeKind = Change['kind'];

/** Selects changes. All conditions must match. */
export interface ChangeFilter {
  /** The change is of one of these plants. */
  readonly ids?: readonly bigint[] | undefined;
  /** The plant has this tag, or had it before. */
  readonly tag?: string | undefined;
  /** The change has one of these kinds. */
  readonly kinds?: readonly ChangeKind[] | undefined;
  /** The change is in none of these groups. */
  readonly exceptGroups?: readonly string[] | undefined;
}

/** Whether the filter selects the change. */
export function isWanted(change: Change, { ids, kinds, tag, exceptGroups }: ChangeFilter): boolean {
  const { id, kind, plant, before, group } = change;
  if (ids?.includes(id) === false || kinds?.includes(kind) === false) return false;
  if (group !== undefined && exceptGroups?.includes(group) === true) return false;
  return tag === undefined || plant?.tag === tag || before?.tag === tag;
}

/** Asks for one page of the log. */
export interface ChangeQuery extends ChangeFilter {
  /** Only changes beyond this position. If absent, from the beginning of the order. */
  readonly after?: string | undefined;
  /** Default: oldest first. */
  readonly order?: 'asc' | 'desc';
  /** Maximum number of changes; a page of long texts may have fewer (`pageLengthMax`). */
  readonly limit: number;
  /** With `ids`: only changes that are the newest of their plant. Each plant is looked up. */
  readonly newest?: boolean;
}

/** One page of the log. */
export interface ChangePage {
  readonly changes: readonly Change[];
  /** Where the next page begins: the last position that this one examined. */
  readonly next: string;
  /** Whether there may be more in this order now. */
  readonly hasMore: boolean;
}

/** What a reader of the log has not read. */
export interface Lag {
  /** The number of changes, as far as they are kept. */
  readonly changes: number;
  /** When the oldest of them was written, like `Change.at`. Absent if there is none. */
  readonly since?: number;
}

/** How long changes are kept; what exceeds either bound is removed soon. */
export interface ChangeLimits {
  readonly recordsMax: number;
  readonly ageMsMax: number;
}

export interface ChangeLog {
  /**
   * Resolves to the position of the newest change.
   * @throws ServiceError `store_busy` while the log lacks committed changes; each call moves some.
   * `history` throws it, too, where it begins with the newest change, and `read` where it needs the
   * newest: it begins there, reads the newest of ids, or reaches the end of the log.
   */
  latest(): Promise<string>;

  /**
   * Resolves to where a reader can go on that is at `position`: there, or before the oldest change
   * that is kept if changes after `position` were removed.
   * @throws ServiceError `position_unknown` if the position is not one of this store.
   */
  oldestAfter(position: string): Promise<string>;

  /**
   * Resolves to what follows a position. Reads one change: positions have no gaps.
   * @throws ServiceError `position_unknown` if the position is not one of this store.
   */
  lagOf(position: string): Promise<Lag>;

  /**
   * Resolves to a page. Examines a bounded number of changes, so that a filtered page can be empty
   * and still have more. Oldest first, a reader that goes on from `next` sees each change once, and
   * those of a plant in the order of its writes.
   * @throws ServiceError `position_unknown` if changes after `after` were removed that the page
   * would have, or the position is not one of this store.
   */
  read(query: ChangeQuery): Promise<ChangePage>;

  /**
   * Resolves to the changes of a plant, newest first, also of a deleted one.
   * @param before only changes before this position of the plant. None if that was removed, or is of
   * another plant.
   * @throws ServiceError `position_unknown` if it is not one of this store.
   */
  history(id: bigint, limit: number, before?: string): Promise<readonly Change[]>;

  /**
   * Resolves to the newest change of each of these plants that has one.
   * @throws ServiceError `store_busy` like `latest`; so do `ofGroup`, `plantsIn` and `changedIn`.
   */
  newest(ids: readonly bigint[]): Promise<readonly Change[]>;

  /**
   * Resolves to the changes of a group with ids after `after`, ascending by id: at most `limit`, and
   * perhaps fewer if their texts are long (`pageLengthMax`). There are no more once it is empty.
   * Those of one plant are in any order, and the last plant may have more.
   */
  ofGroup(group: string, limit: number, after?: bigint): Promise<readonly Change[]>;

  /**
   * Resolves to how many changes of the group were removed while the newest change of their plant
   * was one of the group: they cannot be undone any more. 0 once none of the group is kept.
   */
  expiredIn(group: string): Promise<number>;

  /** Resolves to how many plants the group has changed, as far as its changes are kept. */
  plantsIn(group: string): Promise<number>;

  /** Resolves to the ids whose plants the group has changed. */
  changedIn(group: string, ids: readonly bigint[]): Promise<ReadonlySet<bigint>>;

  /** Calls `listener` after commits of any instance, perhaps without need. Returns its end. */
  subscribe(listener: () => void): () => void;
}
