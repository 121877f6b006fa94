/**
 * The live copy of the plants: all of them within the bounds, otherwise the first ones of a filter. Loads them page by page, then follows the
 * change log; writes of this page are shown with their responses (own-writes.ts). Does not render anything.
 */
import { type Change, getPlants, PlantStoreError, type StoredPlant } from '../../../src/client/client.ts';
import { Listeners } from '../observable.ts';
import { parseTypedIds } from '../parse-id.ts';
import type { LoggedChange } from './changes.ts';
import type { CopyChange, CopyPorts, CopyState } from './copy-ports.ts';
import { type Row, toRow } from './order.ts';
import type { State } from './own-writes.ts';
import { all, type Loading, putInto, type Scope } from './scope.ts';

/** How long the service waits for a change, in seconds. Shorter than the usual idle timeout of proxies. */
const waitSeconds = 25;
/** Delays after failures, in milliseconds; the last one repeats. */
const backOffMs = [1_000, 2_000, 5_000, 10_000, 30_000];
/** An earlier response without changes comes from a service that shuts down; in milliseconds. */
const idleMsMin = 400;

const nothing: ReadonlySet<bigint> = new Set();

export class Replica {
  state: CopyState = 'loading';
  /** Why it is not loaded, or not up to date. */
  error: unknown;
  /** Number of all plants when they were loaded. */
  total: number | undefined;
  isLoaded = false;
  isWhole = false;
  scope = all;
  /** The id of the last plant that is loaded, if there are more in the scope. */
  end: bigint | undefined;
  readonly changes = new Listeners<CopyChange>();
  readonly #ports: CopyPorts;
  #rows = new Map<bigint, Row>();
  #wanted = all;
  /** Up to where the log is read; undefined: everything has to be loaded. */
  #position: string | undefined;
  #behind = 0;
  /** Aborted to load another scope. */
  #step = new AbortController();

  constructor(ports: CopyPorts) {
    this.#ports = ports;
    ports.writes.onAnswer = (id, state) => {
      this.#put(id, state);
      this.#emit(new Set([id]));
    };
  }

  get rows(): ReadonlyMap<bigint, Row> {
    return this.#rows;
  }

  /** Says which plants are wanted if there are more than the bounds. */
  aim(scope: Scope): void {
    if (JSON.stringify(scope) === JSON.stringify(this.#wanted)) return;
    this.#wanted = scope;
    const isLarge = this.isLoaded ? !this.isWhole : (this.total ?? 0) > this.#ports.bounds.plantsMax;
    if (isLarge) this.#reload();
  }

  retry(): void {
    if (this.state === 'failed') Object.assign(this, { state: 'loading', error: undefined });
    this.#step.abort();
    this.#emit(nothing);
  }

  async run(signal: AbortSignal): Promise<void> {
    const isOver = (): boolean => signal.aborted;
    for (let failures = 0; !isOver();) {
      if (this.#step.signal.aborted) this.#step = new AbortController();
      const { signal: step } = this.#step;
      const either = AbortSignal.any([signal, step]);
      try {
        await (this.#position === undefined ? this.#load(either) : this.#follow(this.#position, either));
        failures = 0;
      } catch (error) {
        if (isOver()) return;
        if (this.#isStepOver()) continue;
        // The log does not go back that far.
        if (error instanceof PlantStoreError && error.status === 410) this.#position = undefined;
        else this.#fail(error);
        await this.#ports.sleep(backOffMs[Math.min(failures++, backOffMs.length - 1)] ?? 0, either);
      }
    }
  }

  #isStepOver(): boolean {
    return this.#step.signal.aborted;
  }

  #reload(): void {
    this.#position = undefined;
    this.#step.abort();
  }

  async #load(signal: AbortSignal): Promise<void> {
    const { client, writes, bounds } = this.#ports;
    this.state = this.isLoaded ? 'reloading' : 'loading';
    const from = await client.latestPosition({ signal });
    writes.startAgain();
    this.total = Number(await client.count({ signal }));
    let loading: Loading = { rows: new Map(), scope: this.total > bounds.plantsMax ? this.#wanted : all };
    let end = await this.#read(loading, signal);
    if (end !== undefined && loading.scope !== this.#wanted) {
      loading = { rows: new Map(), scope: this.#wanted };
      end = await this.#read(loading, signal);
    }
    // The service searches names and tags alone.
    const ids = end !== undefined || loading.scope === all ? [] : parseTypedIds(loading.scope.filter.search ?? '');
    for (const plant of await getPlants(client, ids, (id) => loading.rows.get(id)?.plant, signal))
      putInto(loading, plant.id, writes.newest(plant.id, plant));
    this.#position = await this.#catchUp({ ...loading, end }, from, signal);
    const wasLoaded = this.isLoaded;
    const isWhole = loading.scope === all && end === undefined;
    // While it was not known that all are too many, another may have been wanted.
    const isOld = !isWhole && loading.scope !== this.#wanted;
    Object.assign(this, { scope: loading.scope, end, isWhole, error: undefined, state: isOld ? 'reloading' : 'live' });
    this.#rows = loading.rows;
    for (const id of writes.pendingIds) this.#put(id, writes.newest(id, undefined));
    this.isLoaded = true;
    this.#behind = 0;
    if (isOld) this.#reload();
    this.#emit(undefined);
    if (wasLoaded) this.#ports.onReloaded();
  }

  /** Resolves to the id of the last plant, if there are more plants than the bounds allow. */
  async #read({ rows, scope }: Loading, signal: AbortSignal): Promise<bigint | undefined> {
    const { client, writes, bounds } = this.#ports;
    const { plantsMax, charactersMax, pageSize } = bounds;
    // The first rows are shown while others are read, unless those of an earlier load are.
    const isShown = !this.isLoaded || scope !== this.scope;
    let page = await client.listPage({ ...scope.filter, order: scope.order, pageSize }, { signal });
    let characters = 0;
    for (let last: bigint | undefined; ;) {
      for (const plant of page.items) {
        if (rows.size >= plantsMax || characters >= charactersMax) return last;
        const newest = writes.newest(plant.id, plant);
        if (newest !== undefined) rows.set(plant.id, toRow(newest));
        characters += toLength(plant);
        last = plant.id;
      }
      if (isShown) {
        this.isWhole = false;
        this.#rows = rows;
        this.scope = scope;
        this.end = undefined;
        this.#emit(undefined);
      }
      if (page.next === undefined) return undefined;
      page = await client.listPage(page.next, { signal });
    }
  }

  /** Applies what has changed since the load began. Resolves to the position from which the log is to be followed. */
  async #catchUp(loading: Loading, from: string, signal: AbortSignal): Promise<string> {
    const { client, bounds, onLogged } = this.#ports;
    for (let after = from; ;) {
      const { items, position = after } = await client.changesPage({ after, pageSize: bounds.pageSize }, { signal });
      if (items.length === 0) return position;
      onLogged(this.#claim(items, ({ id, plant }) => putInto(loading, id, plant)));
      after = position;
    }
  }

  async #follow(after: string, signal: AbortSignal): Promise<void> {
    const { client, writes, bounds, sleep, onLogged } = this.#ports;
    const start = performance.now();
    writes.startPoll();
    // That a failure is over, or that there is nothing more to read, is known at once.
    const isSure = !writes.isUnsure && this.error === undefined && this.state !== 'behind';
    const wanted = { after, pageSize: bounds.pageSize, waitSeconds: isSure ? waitSeconds : 0 };
    const { items, position = after } = await client.changesPage(wanted, { signal });
    const ids = new Set(items.map(({ id }) => id));
    if (!writes.isSettled(ids)) await Promise.race([writes.settle(ids), sleep(bounds.answerMs, signal)]);
    signal.throwIfAborted();
    this.#position = position;
    this.error = undefined;
    const news = new Set<bigint>();
    const logged = this.#claim(items, ({ id, plant }, isOwn) => {
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
    this.state = isLate ? 'behind' : 'live';
    if (this.#behind > bounds.behindMax || this.#isTooLarge()) this.#reload();
    this.#emit(ids, news);
    if (logged.length > 0) onLogged(logged);
    if (items.length === 0 && performance.now() - start < idleMsMin) await sleep(backOffMs[0] ?? 0, signal);
    else if (!isLate && items.length > 0) await sleep(bounds.gatherMs, signal);
  }

  /** Returns the changes as they are announced. @param put is called with those that are to be shown. */
  #claim(changes: readonly Change[], put: (change: Change, isOwn: boolean) => void): readonly LoggedChange[] {
    return changes.map((change) => {
      const { isOwn, isOlder: isOutdated } = this.#ports.writes.claim(change);
      if (!isOutdated) put(change, isOwn);
      return { ...change, isOwn, isOutdated };
    });
  }

  /** It has grown out of the bounds since it was loaded. */
  #isTooLarge(): boolean {
    const { plantsMax, charactersMax } = this.#ports.bounds;
    const slack = this.isWhole ? 1 : 1.1;
    const characters = this.#rows.values().reduce((sum, { plant }) => sum + toLength(plant), 0);
    return this.#rows.size > plantsMax * slack || characters > charactersMax * slack;
  }

  #put(id: bigint, state: State): void {
    putInto({ rows: this.#rows, scope: this.scope, end: this.end }, id, state);
  }

  #fail(error: unknown): void {
    this.error = error;
    if (!this.isLoaded) this.state = 'failed';
    this.#ports.onError(error);
    this.#emit(nothing);
  }

  #emit(ids: ReadonlySet<bigint> | undefined, news = nothing): void {
    this.changes.call({ ids, news });
  }
}

function toLength({ name, tag = '' }: StoredPlant): number {
  return name.length + tag.length;
}
