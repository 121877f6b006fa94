/** Paths, queries and headers of requests. Bodies are in client.ts. */
import type { ListOptions, TagOptions } from './options.ts';
import type { Repetition } from './retry.ts';
import { toQuery } from './query.ts';

export function toBase(url: string | URL): string {
  const given = String(url);
  const parsed = URL.canParse(given) ? new URL(given) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    throw new TypeError(
      `Cannot use the address${toShown(given)}: it must be a URL that begins with http:// or https://`,
    );
  if (parsed.username !== '' || parsed.password !== '' || parsed.search !== '' || parsed.hash !== '')
    throw new TypeError('Cannot use the address: it must have no user, no query and no fragment');
  return parsed.origin + parsed.pathname.replace(/\/+$/, '');
}

/** The address that a redirect leads to, without the path of the request. Browsers hide it. */
export function toGoal({ headers }: Response, base: string, path: string): string {
  const location = headers.get('location');
  if (location === null || !URL.canParse(location, base + path)) return 'the address it leads to';
  const { href } = new URL(location, base + path);
  const address = href.endsWith(path) ? href.slice(0, -path.length) : href;
  return address.slice(0, 200);
}

/** Before an @ there may be a password. */
function toShown(address: string): string {
  return address.includes('@') ? '' : ` ${JSON.stringify(address.slice(0, 80))}`;
}

export function toPath(id: bigint): string {
  checkId(id);
  return `/plants/${id}`;
}

/** For callers without types: a number may have lost digits before it came here. */
export function checkId(id: unknown): void {
  if (typeof id !== 'bigint') throw new TypeError('Cannot use the id: it must be a bigint, such as 7n');
}

export function toCondition(ifMatch: string | undefined): Record<string, string> {
  return ifMatch === undefined ? {} : { 'if-match': ifMatch };
}

/** Only the etag of a single version keeps a second try from undoing what another client wrote. */
export function toRepetition(ifMatch: string | undefined): Repetition {
  return ifMatch !== undefined && /^"[^"]*"$/.test(ifMatch) ? 'harmless' : 'harmful';
}

export function toListQuery({ tag, untagged, name, search, order, above, below, pageSize }: ListOptions): string {
  return toQuery({
    limit: pageSize,
    tag,
    untagged,
    name,
    search,
    order,
    above: above?.toString(),
    below: below?.toString(),
  });
}

export function toTagQuery({ prefix, pageSize }: TagOptions): string {
  return toQuery({ limit: pageSize, prefix });
}
