/** Reads the change log of the service: what is new, the newest changes, and the history of a plant. */
import type { StoredPlant } from '../../../src/client/client.ts';
import { type Page, PageReader } from '../../../src/client/pages.ts';
import { Transport } from '../../../src/client/transport.ts';

/** One change of one plant. */
export interface Change {
  /** Where it is in the log; opaque. */
  readonly position: string;
  /** When it was written, in ISO 8601. */
  readonly at: string;
  readonly kind: 'created' | 'replaced' | 'deleted';
  readonly id: bigint;
  /** After the change; absent after a deletion. */
  readonly plant?: StoredPlant;
  /** Before the change; absent before a creation. */
  readonly before?: StoredPlant;
  /** The token that made the change. */
  readonly by?: { readonly token: string; readonly name: string } | undefined;
}

/** Changes per request of `wait`. A full page means that there are too many to show one by one. */
export const batchMax = 500;
/** How long the service waits for a change, in seconds. Shorter than the usual idle timeout of proxies. */
const waitSeconds = 25;
const timeoutMs = 40_000;

export class ChangeLog {
  readonly #transport: Transport;
  readonly #url: string;
  readonly #changes: PageReader<Change>;
  /** Everything up to here has been read. Undefined: unknown. */
  position: string | undefined;

  constructor(url: string, token: string) {
    this.#transport = new Transport(url, { url, token, retries: 1, timeoutMs });
    this.#url = url;
    this.#changes = this.#reader('/plants/changes');
  }

  /** The position after the newest change. */
  async latest(signal?: AbortSignal): Promise<string> {
    const { next } = await this.#changes.first('?after=now&limit=1', signal);
    return toPosition(next);
  }

  /** The changes after a position, oldest first. Waits if there is none. */
  async wait(
    position: string,
    signal: AbortSignal,
  ): Promise<{ readonly changes: readonly Change[]; readonly position: string }> {
    const query = `?after=${position}&limit=${batchMax}&wait=${waitSeconds}`;
    const { items, next } = await this.#changes.first(query, signal);
    return { changes: items, position: toPosition(next) };
  }

  /** The newest changes first. @param next of an earlier page. */
  async newest(
    { limit, kind }: { readonly limit: number; readonly kind?: Change['kind'] },
    next: string | undefined,
    signal: AbortSignal,
  ): Promise<Page<Change>> {
    if (next !== undefined) return this.#changes.page(next, signal);
    return this.#changes.first(`?order=desc&limit=${limit}${kind === undefined ? '' : `&kind=${kind}`}`, signal);
  }

  /** The changes of one plant, newest first. @param next of an earlier page. */
  async history(id: bigint, limit: number, next: string | undefined, signal: AbortSignal): Promise<Page<Change>> {
    const reader = this.#reader(`/plants/${id}/history`);
    return next === undefined ? reader.first(`?limit=${limit}`, signal) : reader.page(next, signal);
  }

  #reader(path: string): PageReader<Change> {
    return new PageReader(this.#transport, this.#url + path, path, parseChanges);
  }
}

function toPosition(next: string | undefined): string {
  const position = new URL(next ?? 'data:').searchParams.get('after');
  if (position === null) throw new Error('The page of changes has no link to the next one.');
  return position;
}

type RawPlant = Omit<StoredPlant, 'id'> & { readonly id: string };
type RawChange = Omit<Change, 'id' | 'plant' | 'before'> & {
  readonly id: string;
  readonly plant?: RawPlant;
  readonly before?: RawPlant;
};

/** Reads ids as text, since a number would be rounded. Only a member can look like `"id":`, because quotes in values are escaped. */
function parseChanges(text: string): readonly Change[] {
  const rows = JSON.parse(text.replaceAll(/"id":(-?\d+)/g, '"id":"$1"')) as readonly RawChange[];
  return rows.map(({ id, plant, before, ...rest }) => ({
    ...rest,
    id: BigInt(id),
    ...(plant === undefined ? {} : { plant: { ...plant, id: BigInt(id) } }),
    ...(before === undefined ? {} : { before: { ...before, id: BigInt(id) } }),
  }));
}
