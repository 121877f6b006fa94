/**
 * Reads the change log: single pages, and all changes without an end, by long polls. A page is
 * used only after it arrived completely, and its link names the next one: nothing is skipped or
 * repeated.
 */
import type { Change } from '../domain/schemas.ts';
import { ConnectionError } from './errors.ts';
import type { ChangePageOptions, ChangesOptions } from './options.ts';
import { type Page, type PageCall, PageReader } from './pages.ts';
import { toQuery } from './query.ts';
import { checkId } from './requests.ts';
import { parseChanges } from './responses.ts';
import type { RetryOptions } from './retry.ts';
import type { Transport } from './transport.ts';

/** Seconds that the service waits for a change; proxies commonly close after 30 or 60. */
const waitSecondsDefault = 25;

/** One page of changes. Oldest first, it always has a `next`, which waits as long as this one. */
export interface ChangePage extends Page<Change> {
  /**
   * Up to where the page goes, also without changes; the next page is after it. Undefined on
   * the last page.
   */
  readonly position: string | undefined;
  /** With `exceptGroup`: how many plants each group has changed, as far as changes are kept. */
  readonly groupPlants?: readonly number[];
}

export class ChangeReader {
  readonly #pages: PageReader<Change>;

  constructor(transport: Transport) {
    this.#pages = new PageReader(transport, '/plants/changes', parseChanges);
  }

  async latestPosition(signal: AbortSignal | undefined): Promise<string> {
    const { position } = await this.#read(toQuery({ after: 'now', limit: 1 }), { signal });
    return position ?? refuse('no link to the next page');
  }

  /** @param wanted options, or the `next` of an earlier page. */
  async page(wanted: ChangePageOptions | string, signal: AbortSignal | undefined): Promise<ChangePage> {
    const query = typeof wanted === 'string' ? this.#pages.toQuery(wanted) : toChangeQuery(wanted);
    return this.#read(query, { signal });
  }

  /** See `changes` of the client. */
  async *follow({ onPosition, ...options }: ChangesOptions): AsyncGenerator<Change, void, undefined> {
    const { signal } = options;
    let retry: RetryOptions | undefined;
    try {
      // The service would take "now" anew with each retry.
      const after = options.after === 'now' ? await this.latestPosition(signal) : options.after;
      const { pageSize = 1_000 } = options;
      let query = toChangeQuery({ ...options, after, pageSize, waitSeconds: waitSecondsDefault });
      for (;;) {
        const page = await this.#read(query, { retry, signal });
        for (const change of page.items) {
          if (signal?.aborted === true) return;
          yield change;
        }
        if (page.next === undefined || page.position === undefined) refuse('no link to the next page');
        query = this.#pages.toQuery(page.next);
        onPosition?.(page.position);
        // A wrong address fails at once; a service that was there comes back.
        retry = { retries: Infinity, retryAfterSecondsMax: Infinity };
      }
    } catch (error) {
      if (signal?.aborted !== true) throw error;
    }
  }

  async #read(query: string, { retry, signal }: PageCall): Promise<ChangePage> {
    const parameters = new URLSearchParams(query);
    const waitMs = Number(parameters.get('wait') ?? 0) * 1_000;
    let counts: Pick<ChangePage, 'groupPlants'> = {};
    const onHeaders = (headers: Headers): void => {
      const field = headers.get('group-plants');
      if (field !== null) counts = { groupPlants: field.split(',').map(Number) };
    };
    const { items, next } = await this.#pages.read(query, { waitMs, retry, signal, onHeaders });
    if (next === undefined) {
      if (parameters.get('order') !== 'desc') refuse('no link to the next page');
      return { items, next, position: undefined, ...counts };
    }
    const position = new URL(next).searchParams.get('after') ?? refuse('no position in its link');
    return { items, next, position, ...counts };
  }
}

function toChangeQuery(options: ChangePageOptions): string {
  const { after, pageSize, order, waitSeconds, newest, id, tag, kind, exceptGroup } = options;
  const ids = typeof id === 'bigint' ? [id] : id;
  ids?.forEach(checkId);
  // It would ask for the changes of all plants.
  if (ids?.length === 0) throw new TypeError('Cannot ask for changes: "id" must have at least one id');
  const rest = { wait: waitSeconds, newest, id: ids?.map(String), tag, kind, exceptGroup };
  return toQuery({ after, limit: pageSize, order, ...rest });
}

function refuse(what: string): never {
  throw new ConnectionError('response', `Cannot use the response: it has ${what}`);
}
