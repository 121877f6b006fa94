/** A service with a change log, pages and slow answers, for tests of the copy: a test decides when each request is executed and answered. */
import {
  type Change,
  ConnectionError,
  type PlantFilter,
  PlantStoreError,
  type StoredPlant,
} from '../../src/client/client.ts';
import type { OwnWrites, State } from '../../console/src/copy/own-writes.ts';
import { isSamePlant } from '../../console/src/copy/changes.ts';

type Task = () => void;

export class ModelService {
  readonly plants = new Map<bigint, StoredPlant>();
  /** What can happen next: requests to execute, responses to deliver. */
  readonly tasks: Task[] = [];
  #log: Change[] = [];
  #removed = 0;
  #polls: Task[] = [];

  get position(): number {
    return this.#removed + this.#log.length;
  }

  /** Returns whether that changed anything. */
  write(id: bigint, plant: State): boolean {
    const before = this.plants.get(id);
    if (isSamePlant(before, plant)) return false;
    if (plant === undefined) this.plants.delete(id);
    else this.plants.set(id, plant);
    const kind = plant === undefined ? 'deleted' : before === undefined ? 'created' : 'replaced';
    this.#log.push({ position: String(this.position + 1), at: '', kind, id, plant, before } as Change);
    this.tasks.push(...this.#polls.splice(0));
    return true;
  }

  /** The log forgets what it has. */
  trim(): void {
    this.#removed += this.#log.splice(0).length;
    this.tasks.push(...this.#polls.splice(0));
  }

  /** The polls end without a change. */
  endPolls(): void {
    this.tasks.push(...this.#polls.splice(0));
  }

  /** Executes the request, then delivers its answer; the connection may be lost before either. */
  async send<Answer>(run: () => Answer, signal?: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
      if (signal?.aborted === true) reject(signal.reason as Error);
      this.tasks.push(() => {
        try {
          const answer = run();
          this.tasks.push(() => resolve(answer));
        } catch (error) {
          this.tasks.push(() => reject(error instanceof Error ? error : new TypeError(String(error))));
        }
      });
      this.losses.push(() => reject(new ConnectionError('response', 'lost')));
    });
  }

  readonly losses: Task[] = [];

  /** A write of the page. */
  async own(writes: OwnWrites, id: bigint, plant: State, onDone: (position: number) => void): Promise<void> {
    writes.send(id);
    try {
      const hasChanged = await this.send(() => {
        const isChange = this.write(id, plant);
        if (isChange) onDone(this.position);
        return isChange;
      });
      writes.answer(id, plant, hasChanged);
    } catch {
      writes.fail(id);
    }
  }

  client(pageSize: number) {
    const toPage = (after: bigint | undefined, filter: PlantFilter, order: 'asc' | 'desc', signal: AbortSignal) =>
      this.send(() => {
        const sorted = [...this.plants.values()].sort(
          (one, other) => Number(one.id - other.id) * (order === 'asc' ? 1 : -1),
        );
        const isNext = ({ id }: StoredPlant): boolean =>
          after === undefined || (order === 'asc' ? id > after : id < after);
        const left = sorted.filter((plant) => isNext(plant) && (filter.tag === undefined || plant.tag === filter.tag));
        const items = left.slice(0, pageSize);
        return {
          items,
          next: left.length > pageSize ? JSON.stringify([String(items.at(-1)?.id), filter, order]) : undefined,
        };
      }, signal);
    return {
      latestPosition: ({ signal }: { signal: AbortSignal }) => this.send(() => String(this.position), signal),
      count: ({ signal }: { signal: AbortSignal }) => this.send(() => BigInt(this.plants.size), signal),
      get: (id: bigint, { signal }: { signal?: AbortSignal | undefined } = {}) =>
        this.send(() => {
          const plant = this.plants.get(id);
          return plant && { plant, etag: '' };
        }, signal),
      listPage: (options: (PlantFilter & { order: 'asc' | 'desc' }) | string, { signal }: { signal: AbortSignal }) => {
        if (typeof options !== 'string') return toPage(undefined, options, options.order, signal);
        const [after, filter, order] = JSON.parse(options) as [string, PlantFilter, 'asc' | 'desc'];
        return toPage(BigInt(after), filter, order, signal);
      },
      changesPage: async (
        { after, waitSeconds = 0 }: { after: string; waitSeconds?: number },
        { signal }: { signal: AbortSignal },
      ) => {
        const from = Number(after);
        if (waitSeconds > 0) await this.send(() => undefined, signal);
        if (waitSeconds > 0 && from === this.position)
          await new Promise<void>((resolve, reject) => {
            this.#polls.push(resolve);
            signal.addEventListener('abort', () => reject(signal.reason as Error));
          });
        return this.send(() => {
          if (from < this.#removed) throw new PlantStoreError(41001, 410, 'Gone');
          const items = this.#log.slice(from - this.#removed, from - this.#removed + pageSize);
          return { items, next: undefined, position: String(from + items.length) };
        }, signal);
      },
    };
  }
}
