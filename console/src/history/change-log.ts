/** Reads the change log of the service: what is new, the newest changes, and the history of a plant. */
import { parseChanges } from '../../../src/client/responses.ts';
import type { Change, ClientOptions } from '../../../src/client/client.ts';
import { type Page, PageReader } from '../../../src/client/pages.ts';
import { Transport } from '../../../src/client/transport.ts';

/** Changes per request of `wait`. A full page means that there are too many to show one by one. */
export const batchMax = 500;
/** How long the service waits for a change, in seconds. Shorter than the usual idle timeout of proxies. */
const waitSeconds = 25;
const timeoutMs = 40_000;

export class ChangeLog {
  readonly #transport: Transport;
  readonly #changes: PageReader<Change>;
  /** Everything up to here has been read. Undefined: unknown. */
  position: string | undefined;

  constructor(options: ClientOptions) {
    this.#transport = new Transport({ ...options, retries: 1, timeoutMs });
    this.#changes = new PageReader(this.#transport, '/plants/changes', parseChanges);
  }

  /** The position after the newest change. */
  async latest(signal?: AbortSignal): Promise<string> {
    const { next } = await this.#changes.read('?after=now&limit=1', { signal });
    return toPosition(next);
  }

  /** The changes after a position, oldest first. Waits if there is none. */
  async wait(
    position: string,
    signal: AbortSignal,
  ): Promise<{ readonly changes: readonly Change[]; readonly position: string }> {
    const query = `?after=${position}&limit=${batchMax}&wait=${waitSeconds}`;
    const { items, next } = await this.#changes.read(query, { signal });
    return { changes: items, position: toPosition(next) };
  }

  /** The newest changes first. @param next of an earlier page. */
  async newest(
    { limit, kind }: { readonly limit: number; readonly kind?: Change['kind'] },
    next: string | undefined,
    signal: AbortSignal,
  ): Promise<Page<Change>> {
    if (next !== undefined) return this.#changes.read(this.#changes.toQuery(next), { signal });
    const query = `?order=desc&limit=${limit}${kind === undefined ? '' : `&kind=${kind}`}`;
    return this.#changes.read(query, { signal });
  }

  /** The changes of one plant, newest first. @param next of an earlier page. */
  async history(id: bigint, limit: number, next: string | undefined, signal: AbortSignal): Promise<Page<Change>> {
    const reader = new PageReader(this.#transport, `/plants/${id}/history`, parseChanges);
    return reader.read(next === undefined ? `?limit=${limit}` : reader.toQuery(next), { signal });
  }
}

function toPosition(next: string | undefined): string {
  const position = new URL(next ?? 'data:').searchParams.get('after');
  if (position === null) throw new Error('The page of changes has no link to the next one.');
  return position;
}
