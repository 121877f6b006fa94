/** Reads changes, newest first, page by page until there are enough. */
import type { Change, ChangePageOptions, Page, PlantClient } from '../../../src/client/client.ts';

export interface Changes extends Page<Change> {
  /** How many plants each group has changed: of a group, only some changes are read. */
  readonly plants?: ReadonlyMap<string, number>;
}

interface Wanted extends Pick<ChangePageOptions, 'pageSize' | 'kind' | 'newest'> {
  /** Ends it, too. */
  readonly pagesMax: number;
  readonly isEnough: (items: readonly Change[]) => boolean;
  /** Reads no more of a group than its newest changes, and counts its plants. */
  readonly isGrouped?: boolean;
}

/** Groups that a request leaves out, as many as the service takes. */
const groupsMax = 20;
/** Requests that count the plants of groups alone: of as many groups as anyone looks at. */
const countsMax = 20;

/** @param before what was read already; the result has it, too. */
export async function readEnough(
  client: Pick<PlantClient, 'changesPage'>,
  { pagesMax, isEnough, isGrouped = false, ...filter }: Wanted,
  before: Changes | undefined,
  signal?: AbortSignal,
): Promise<Changes> {
  const items = [...(before?.items ?? [])];
  const plants = new Map(before?.plants);
  let next = before?.next;
  for (let pages = 1; ; pages++) {
    const left = isGrouped ? toLeftOut(items, plants) : [];
    const exceptGroup = left.length === 0 ? {} : { exceptGroup: left };
    const page = await client.changesPage({ ...filter, ...exceptGroup, order: 'desc', after: next }, { signal });
    items.push(...page.items);
    for (const [at, group] of left.entries()) plants.set(group, page.groupPlants?.[at] ?? 0);
    next = page.position;
    if (next === undefined || pages === pagesMax || isEnough(items)) break;
  }
  // Those that were read last are not counted yet.
  for (let counts = 0; isGrouped && counts < countsMax; counts++) {
    const groups = toLeftOut(items, plants).filter((group) => !plants.has(group));
    if (groups.length === 0) break;
    const { groupPlants } = await client.changesPage({ order: 'desc', pageSize: 1, exceptGroup: groups }, { signal });
    for (const [at, group] of groups.entries()) plants.set(group, groupPlants?.[at] ?? 0);
  }
  return { items, next, plants };
}

/** Those that are not counted yet, then those that were read last: they may go on. */
function toLeftOut(items: readonly Change[], plants: ReadonlyMap<string, number>): readonly string[] {
  const groups = [...new Set(items.toReversed().flatMap(({ group }) => group ?? []))];
  return groups.sort((one, other) => Number(plants.has(one)) - Number(plants.has(other))).slice(0, groupsMax);
}
