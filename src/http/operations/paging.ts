/**
 * Cursors and the link to the next page (RFC 8288). A cursor contains the last row of its page, not
 * a position, so paging is stable while rows are added or removed. Opaque to clients.
 */
import { isUtf8 } from 'node:buffer';
import { queryInvalid } from '../../contract/read-query.ts';
import type { ServiceError } from '../../domain/errors.ts';

const idBytes = 8;

export function toIdCursor(id: bigint): string {
  const bytes = Buffer.alloc(idBytes);
  bytes.writeBigInt64BE(id);
  return bytes.toString('base64url');
}

/** @throws ServiceError `query_invalid` if it is not one of ours. */
export function readIdCursor(cursor: string): bigint {
  const bytes = readBytes(cursor);
  if (bytes.length !== idBytes) throw notOurs();
  return bytes.readBigInt64BE();
}

export function toTextCursor(text: string): string {
  return Buffer.from(`=${text}`).toString('base64url');
}

/** @throws ServiceError `query_invalid` if it is not one of ours. */
export function readTextCursor(cursor: string): string {
  const bytes = readBytes(cursor);
  // No tag has U+0000, which not every store can compare.
  if (!isUtf8(bytes) || bytes[0] !== 0x3d || bytes.includes(0)) throw notOurs();
  return bytes.toString('utf8', 1);
}

/**
 * Returns the rows of a page, and the link to the next one if there is one.
 * @param found one row more than the limit, if the store has as many.
 */
export function toPage<Row>(
  found: readonly Row[],
  query: Query & { readonly limit: number },
  toCursor: (last: Row) => string,
): { readonly rows: readonly Row[]; readonly link: Readonly<Record<string, string>> } {
  const rows = found.slice(0, query.limit);
  const last = rows.at(-1);
  const hasMore = found.length > query.limit && last !== undefined;
  return { rows, link: hasMore ? linkToNext({ ...query, cursor: toCursor(last) }) : {} };
}

type Query = Readonly<Record<string, string | number | bigint | undefined>>;

/**
 * Returns the Link field: a query with the cursor of the next page. Clients resolve it against the address
 * that they used, which a proxy may have changed.
 */
export function linkToNext(query: Query): { readonly link: string } {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  return { link: `<?${parameters.toString()}>; rel="next"` };
}

function readBytes(cursor: string): Buffer {
  const bytes = Buffer.from(cursor, 'base64url');
  // The decoder ignores invalid characters.
  if (bytes.toString('base64url') !== cursor) throw notOurs();
  return bytes;
}

function notOurs(): ServiceError {
  return queryInvalid('cursor', 'must be one that a Link field gave');
}
