/**
 * Cursors and the link to the next page (RFC 8288). A cursor contains the last id or tag that the
 * page has looked at, not a position, so paging is stable while rows are added or removed. Opaque
 * to clients.
 */
import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { queryInvalid } from '../../contract/read-query.ts';
import type { ServiceError } from '../../domain/errors.ts';
import { pageLengthMax } from '../../domain/store.ts';
import { escapeUnsafe } from '../../json/to-json.ts';
import { ok, type Reply } from '../wire/reply.ts';

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

/** Rows that one turn of the event loop writes. */
const rowsPerTurn = 100;

interface WrittenRows {
  /** The text of an array. */
  readonly json: string;
  /** How many rows it has: at least one, if there is one. */
  readonly count: number;
}

/**
 * Writes rows up to the length of a page, 0.5 to 1.5 MB: one client cannot hold up the others.
 * Escapes the rows of a turn at once: with all rows of SQLite read at once, too, a page of 100
 * takes 62 us in place of 84.
 */
export async function writeRows<Row>(rows: readonly Row[], toRowJson: (row: Row) => string): Promise<WrittenRows> {
  let json = '';
  let written = '[';
  let count = 0;
  for (const row of rows) {
    if (json.length + written.length > pageLengthMax) break;
    if (count % rowsPerTurn === 0 && count > 0) {
      json += escapeUnsafe(written);
      written = '';
      await setImmediate();
    }
    written += count === 0 ? toRowJson(row) : `,${toRowJson(row)}`;
    count += 1;
  }
  return { json: `${json}${escapeUnsafe(written)}]`, count };
}

/**
 * Returns a page, with the link to the next one if there is more: a row beyond the limit, for which
 * the store was asked, rows that are too long for this page, or what a search has not looked at yet.
 * @param found at most one row more than the limit.
 * @param rest the cursor after all that was found, if the search ended early.
 */
export async function toPage<Row>(
  found: readonly Row[],
  query: Query & { readonly limit: number },
  format: { readonly toRowJson: (row: Row) => string; readonly toCursor: (last: Row) => string },
  { rest, headers }: { readonly rest?: string | undefined; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Reply> {
  const { json, count } = await writeRows(
    found.length > query.limit ? found.slice(0, query.limit) : found,
    format.toRowJson,
  );
  const last = count < found.length ? found[count - 1] : undefined;
  const cursor = last === undefined ? rest : format.toCursor(last);
  const link = cursor === undefined ? undefined : linkToNext({ ...query, cursor });
  return ok(json, { ...link, ...headers });
}

type Query = Readonly<Record<string, string | number | bigint | boolean | readonly (bigint | string)[] | undefined>>;

/**
 * Returns the Link field: a query with the cursor of the next page. Clients resolve it against
 * the address that they used, which a proxy may have changed (decision LI4).
 */
export function linkToNext(query: Query): { readonly link: string } {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const values = Array.isArray(value) ? value : value === undefined ? [] : [value];
    for (const each of values) parameters.append(name, String(each));
  }
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
