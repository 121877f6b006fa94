/** Reads a list page by page. Knows neither its items nor its filter. */
import { ConnectionError } from './errors.ts';
import { parseNextQuery } from './query.ts';
import type { Outgoing, Transport } from './transport.ts';

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The address of the next page, to be handed back as it is. Undefined on the last page. */
  readonly next: string | undefined;
}

export interface PageCall extends Pick<Outgoing, 'waitMs' | 'retry' | 'signal'> {
  readonly onHeaders?: (headers: Headers) => void;
}

export class PageReader<Item> {
  readonly #transport: Transport;
  readonly #path: string;
  /** Every `next` begins with it. */
  readonly #address: string;
  readonly #parse: (text: string) => readonly Item[];

  /** @param path of the list, after the base path. */
  constructor(transport: Transport, path: string, parse: (text: string) => readonly Item[]) {
    this.#transport = transport;
    this.#path = path;
    this.#address = transport.base + path;
    this.#parse = parse;
  }

  /** As `read`, but skips empty pages before others: a search has them. */
  async readSome(query: string, call: PageCall): Promise<Page<Item>> {
    const page = await this.read(query, call);
    const { items, next } = page;
    return items.length > 0 || next === undefined ? page : this.readSome(this.#toNext(next, query), call);
  }

  /** @param query with its `?`, or empty: the first page then. */
  async read(query: string, { onHeaders, ...call }: PageCall): Promise<Page<Item>> {
    const answer = await this.#transport.send({ method: 'GET', path: this.#path + query, ...call });
    onHeaders?.(answer.headers);
    const nextQuery = parseNextQuery(answer.headers.get('link'));
    const next = nextQuery === undefined ? undefined : this.#address + nextQuery;
    return { items: this.#parse(answer.text), next };
  }

  /**
   * The query of a `next`.
   * @throws TypeError when the address is not one that a page of this list named.
   */
  toQuery(next: string): string {
    if (!next.startsWith(`${this.#address}?`))
      throw new TypeError('Cannot read the page: its address is none of this list');
    return next.slice(this.#address.length);
  }

  async *all(query: string, signal: AbortSignal | undefined): AsyncGenerator<Item, void, undefined> {
    let page = await this.read(query, { signal });
    for (;;) {
      for (const item of page.items) {
        signal?.throwIfAborted();
        yield item;
      }
      if (page.next === undefined) return;
      query = this.#toNext(page.next, query);
      page = await this.read(query, { signal });
    }
  }

  #toNext(next: string, query: string): string {
    const nextQuery = this.toQuery(next);
    if (nextQuery === query)
      throw new ConnectionError('response', 'Cannot use the response: its link to the next page leads to itself');
    return nextQuery;
  }
}
