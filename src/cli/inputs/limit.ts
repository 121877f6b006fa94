/** The option `--limit` of the commands that list. */
import { Option } from 'commander';
import { UsageError } from '../usage-error.ts';

/** For more than this, use an export. */
const limitMax = 100_000;
/** Maximum of one page, as the description says. */
const pageSizeMax = 1_000;
/** Characters of a wrong value that are repeated. */
const shownLength = 80;

/** @param what is counted. */
export function toLimitOption(what: string): Option {
  return new Option('--limit <number>', `Maximum number of ${what}, 1 to ${limitMax}`).default('100', '100');
}

/** @throws UsageError for anything but a number in range. */
export function readLimit(text: string): number {
  const limit = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : Infinity;
  if (limit <= limitMax) return limit;
  throw new UsageError([
    `Cannot use --limit ${JSON.stringify(text.slice(0, shownLength))}: must be an integer from 1 to ${limitMax}`,
  ]);
}

/** Resolves to the first items, and to whether there are more. @param list called with the size of a page. */
export async function takeUpTo<Item>(
  limit: number,
  list: (pageSize: number) => AsyncIterable<Item>,
): Promise<{ readonly items: readonly Item[]; readonly hasMore: boolean }> {
  const items: Item[] = [];
  for await (const item of list(Math.min(limit + 1, pageSizeMax))) {
    if (items.length === limit) return { items, hasMore: true };
    items.push(item);
  }
  return { items, hasMore: false };
}
