/**
 * Follows the change log with long polls. A page is delivered only after it arrived completely, and the next
 * request continues from the link of the last one: nothing is skipped or repeated, whatever connections do.
 */
import type { Change } from '../domain/schemas.ts';
import { parseChanges } from './responses.ts';
import { ConnectionError } from './errors.ts';
import type { ChangesOptions } from './options.ts';
import { parseNextQuery, toQuery } from './query.ts';
import { checkId } from './requests.ts';
import type { RetryOptions } from './retry.ts';
import type { Outgoing, Transport } from './transport.ts';

const path = '/plants/changes';
/** Time that the service waits for a change; proxies commonly close after 30 or 60 seconds without data. */
const waitSeconds = 25;

/** See `changes` of the client. */
export async function* followChanges(
  transport: Transport,
  { after, id, tag, kind, pageSize = 1_000, onPosition, signal }: ChangesOptions,
): AsyncGenerator<Change, void, undefined> {
  if (id !== undefined) checkId(id);
  let start = after;
  let retry: RetryOptions | undefined;
  try {
    // The service would take "now" anew with each retry.
    if (after === 'now') start = await readLatestPosition(transport, signal);
    let query = toQuery({ after: start, limit: pageSize, wait: waitSeconds, id: id?.toString(), tag, kind });
    for (;;) {
      const page = await readPage(transport, query, { waitMs: waitSeconds * 1_000, retry, signal });
      for (const change of page.changes) {
        if (signal?.aborted === true) return;
        yield change;
      }
      query = page.nextQuery;
      onPosition?.(page.position);
      // A wrong address fails at once; a service that was there comes back.
      retry = { retries: Infinity, retryAfterSecondsMax: Infinity };
    }
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  }
}

/** Resolves to the position of the newest change. */
export async function readLatestPosition(transport: Transport, signal: AbortSignal | undefined): Promise<string> {
  const { position } = await readPage(transport, toQuery({ after: 'now', limit: 1 }), { signal });
  return position;
}

interface Page {
  readonly changes: readonly Change[];
  readonly nextQuery: string;
  /** Where the next page begins. */
  readonly position: string;
}

async function readPage(
  transport: Transport,
  query: string,
  options: Pick<Outgoing, 'waitMs' | 'retry' | 'signal'>,
): Promise<Page> {
  const answer = await transport.send({ method: 'GET', path: path + query, ...options });
  if (answer.status !== 200) throw transport.toError(answer);
  const nextQuery = parseNextQuery(answer.headers.get('link'));
  if (nextQuery === undefined)
    throw new ConnectionError('response', 'Cannot use the response: it has no link to the next page');
  const position = new URLSearchParams(nextQuery).get('after');
  if (position === null) throw new ConnectionError('response', 'Cannot use the response: its link has no position');
  return { changes: parseChanges(answer.text), nextQuery, position };
}
