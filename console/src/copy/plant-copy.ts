/**
 * The live copy of the plants: all of them within the bounds, otherwise the first ones of a filter. Loads them page by page, then follows the
 * change log; own writes are shown with their responses (own-writes.ts). Does not render anything.
 */
import { type Change, getPlants, PlantStoreError, type StoredPlant } from '../../../src/client/client.ts';
import { Listeners } from '../observable.ts';
import { parseTypedIds } from '../parse-id.ts';
import { announcements, type LoggedChange } from './changes.ts';
import type { CopyChange, CopyPorts, CopyState } from './copy-ports.ts';
import { toRow } from './order.ts';
import type { State } from './own-writes.ts';
import { all, type Found, putInto, type Query } from './query.ts';

/** How long the service waits for a change, in seconds. Shorter than the usual idle timeout of proxies. */
const waitSeconds = 25;
/** Delays after failures, in milliseconds; the last one repeats. */
const backOffMs = [1_000, 2_000, 5_000, 10_000, 30_000];
/** An earlier response without changes comes from a service that shuts down; in milliseconds. */
const idleMsMin = 400;

const nothing: ReadonlySet<bigint> = new Set();

export class PlantCopy {
  readonly changes = new Listeners<CopyChange>();
  readonly #ports: CopyPorts;
  #state: CopyState & Found = {
    phase: 'loading',
    error: undefined,
    total: undefined,
    rows: new Map(),
    isWhole: false,
    query: all,
    end: undefined,
  };
  #wanted = all;
  /** Up to where the log is read; undefined: everything has to be loaded. */
  #position: string | undefined;
  #behind = 0;
  /** Aborted to end what is under way, a load or a poll: another query is wanted, or another try. */
  #interrupt = new AbortController();

  constructor(ports: CopyPorts) {
    this.#ports = ports;
    ports.writes.onAnswer = (id, state) => {
      this.#put(id, state);
      this.#emit(new Set([id]));
    };
  }

  get state(): CopyState {
    return this.#state;
  }

  /** Everything was read once. */
  get isLoaded(): boolean {
    return !['loading', 'failed'].includes(this.#state.phase);
  }

  /** Says which plants are wanted if there are more than the bounds. */
  aim(query: Query): void {
    if (JSON.stringify(query) === JSON.stringify(this.#wanted)) return;
    this.#wanted = query;
    const { isWhole, total = 0 } = this.#state;
    if (this.isLoaded ? !isWhole : total > this.#ports.bounds.plantsMax) this.#reload();
  }

  retry(): void {
    if (this.#state.phase === 'failed') this.#set({ phase: 'loading', error: undefined });
    this.#interrupt.abort();
    this.#emit(nothing);
  }

  async run(signal: AbortSignal): Promise<void> {
    const isOver = (): boolean => signal.aborted;
    for (let failures = 0; !isOver();) {
      if (this.#interrupt.signal.aborted) this.#interrupt = new AbortController();
      const { signal: interrupt } = this.#interrupt;
      const either = AbortSignal.any([signal, interrupt]);
      try {
        await (this.#position === undefined ? this.#load(either) : this.#follow(this.#position, either));
        failures = 0;
      } catch (error) {
        if (isOver()) return;
        if (this.#isInterrupted()) continue;
        // The log does not go back that far.
        if (error instanceof PlantStoreError && error.status === 410) this.#position = undefined;
        else this.#fail(error);
        await this.#ports.sleep(backOffMs[Math.min(failures++, backOffMs.length - 1)] ?? 0, either);
      }
    }
  }

  #isInterrupted(): boolean {
    return this.#interrupt.signal.aborted;
  }

  #reload(): void {
    this.#position = undefined;
    this.#interrupt.abort();
  }

  /**
   * Reads all plants; if these are too many by their number, the wanted ones instead; if by their characters, once more, the wanted ones. If
   * others are wanted by then, these plants are shown until those are loaded.
   */
  async #load(signal: AbortSignal): Promise<void> {
    const { client, writes, bounds } = this.#ports;
    const wasLoaded = this.isLoaded;
    this.#set({ phase: wasLoaded ? 'reloading' : 'loading' });
    const from = await client.latestPosition({ signal });
    writes.startAgain();
    const total = Number(await client.count({ signal }));
    this.#set({ total });
    let found = await this.#read(total > bounds.plantsMax ? this.#wanted : all, signal);
    if (found.end !== undefined && found.query !== this.#wanted) found = await this.#read(this.#wanted, signal);
    // The service searches names and tags alone.
    const { rows, query, end } = found;
    const ids = end !== undefined || query === all ? [] : parseTypedIds(query.filter.search ?? '');
    for (const plant of await getPlants(client, ids, (id) => rows.get(id)?.plant, signal))
      putInto(found, plant.id, writes.newest(plant.id, plant));
    this.#position = await this.#catchUp(found, from, signal);
    const isWhole = query === all && end === undefined;
    const isOld = !isWhole && query !== this.#wanted;
    this.#set({ phase: isOld ? 'reloading' : 'live', error: undefined, rows, isWhole, query, end });
    for (const id of writes.pendingIds) this.#put(id, writes.newest(id, undefined));
    this.#behind = 0;
    if (isOld) this.#reload();
    this.#emit(undefined);
    if (wasLoaded) announcements.call({ kind: 'many' });
  }

  /** Resolves to the first plants of the query, as many as the bounds allow. */
  async #read(query: Query, signal: AbortSignal): Promise<Found> {
    const { client, writes, bounds } = this.#ports;
    const { plantsMax, charactersMax, pageSize } = bounds;
    // The first rows are shown while others are read, unless those of an earlier load are.
    const isShown = !this.isLoaded || query !== this.#state.query;
    const rows: Found['rows'] = new Map();
    let page = await client.listPage({ ...query.filter, order: query.order, pageSize }, { signal });
    let characters = 0;
    for (let last: bigint | undefined; ;) {
      for (const plant of page.items) {
        if (rows.size >= plantsMax || characters >= charactersMax) return { rows, query, end: last };
        const newest = writes.newest(plant.id, plant);
        if (newest !== undefined) rows.set(plant.id, toRow(newest));
        characters += toLength(plant);
        last = plant.id;
      }
      if (isShown) {
        this.#set({ rows, isWhole: false, query, end: undefined });
        this.#emit(undefined);
      }
      if (page.next === undefined) return { rows, query };
      page = await client.listPage(page.next, { signal });
    }
  }

  /** Applies what has changed since the load began. Resolves to the position from which the log is to be followed. */
  async #catchUp(found: Found, from: string, signal: AbortSignal): Promise<string> {
    const { client, bounds } = this.#ports;
    for (let after = from; ;) {
      const { items, position = after } = await client.changesPage({ after, pageSize: bounds.pageSize }, { signal });
      if (items.length === 0) return position;
      const changes = this.#claim(items, ({ id, plant }) => putInto(found, id, plant));
      announcements.call({ kind: 'logged', changes });
      after = position;
    }
  }

  async #follow(after: string, signal: AbortSignal): Promise<void> {
    const { client, writes, bounds, sleep } = this.#ports;
    const start = performance.now();
    writes.startPoll();
    const { phase, error } = this.#state;
    // That a failure is over, or that there is nothing more to read, is known at once.
    const isSure = !writes.isUnsure && error === undefined && phase !== 'behind';
    const wanted = { after, pageSize: bounds.pageSize, waitSeconds: isSure ? waitSeconds : 0 };
    const { items, position = after } = await client.changesPage(wanted, { signal });
    const ids = new Set(items.map(({ id }) => id));
    if (!writes.isSettled(ids)) await Promise.race([writes.settle(ids), sleep(bounds.answerMs, signal)]);
    signal.throwIfAborted();
    this.#position = position;
    const news = new Set<bigint>();
    const changes = this.#claim(items, ({ id, plant }, isOwn) => {
      this.#put(id, plant);
      if (isOwn) news.delete(id);
      else news.add(id);
    });
    if (items.length === 0)
      for (const [id, state] of writes.endPoll()) {
        this.#put(id, state);
        ids.add(id);
      }
    const isLate = items.length >= bounds.pageSize / 2;
    this.#behind = isLate ? this.#behind + items.length : 0;
    this.#set({ phase: isLate ? 'behind' : 'live', error: undefined });
    if (this.#behind > bounds.behindMax || this.#isTooLarge()) this.#reload();
    this.#emit(ids, news);
    if (changes.length > 0) announcements.call({ kind: 'logged', changes });
    if (items.length === 0 && performance.now() - start < idleMsMin) await sleep(backOffMs[0] ?? 0, signal);
    else if (!isLate && items.length > 0) await sleep(bounds.gatherMs, signal);
  }

  /** Returns the changes as they are announced. @param put is called with those that are to be shown. */
  #claim(changes: readonly Change[], put: (change: Change, isOwn: boolean) => void): readonly LoggedChange[] {
    return changes.map((change) => {
      const claim = this.#ports.writes.claim(change);
      if (!claim.isOutdated) put(change, claim.isOwn);
      return { ...change, ...claim };
    });
  }

  /** It has grown out of the bounds since it was loaded. */
  #isTooLarge(): boolean {
    const { plantsMax, charactersMax } = this.#ports.bounds;
    const { rows, isWhole } = this.#state;
    const slack = isWhole ? 1 : 1.1;
    let characters = 0;
    for (const { plant } of rows.values()) characters += toLength(plant);
    return rows.size > plantsMax * slack || characters > charactersMax * slack;
  }

  #put(id: bigint, state: State): void {
    putInto(this.#state, id, state);
  }

  #fail(error: unknown): void {
    this.#set(this.isLoaded ? { error } : { error, phase: 'failed' });
    this.#ports.onError(error);
    this.#emit(nothing);
  }

  #set(change: Partial<CopyState & Found>): void {
    this.#state = { ...this.#state, ...change };
  }

  #emit(ids: ReadonlySet<bigint> | undefined, news = nothing): void {
    this.changes.call({ ids, news });
  }
}

function toLength({ name, tag = '' }: StoredPlant): number {
  return name.length + tag.length;
}
