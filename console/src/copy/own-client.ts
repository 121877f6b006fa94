/** A client that remembers what it writes, from the turn in which it is sent: the change may arrive before the response. */
import {
  type Batch,
  type BatchOptions,
  type ImportOptions,
  importPrefix,
  type ImportSource,
  makeGroup,
  pickPlant,
  PlantClient,
  toGroup,
} from '../../../src/client/client.ts';
import { OwnWrites, type State } from './own-writes.ts';

/** `hasChanged`: false if the log has no change for it, true also if nobody knows. */
type Answer = readonly [state: State, hasChanged: boolean];

export class OwnClient extends PlantClient {
  readonly writes = new OwnWrites();

  override async create(...args: Parameters<PlantClient['create']>) {
    const [wanted] = args;
    // Also if it is replayed: an earlier try may have stored it, whose response was lost.
    return this.#note(wanted.id, super.create(...args), () => [pickPlant(wanted.id, wanted), true]);
  }

  override async put(...args: Parameters<PlantClient['put']>) {
    return this.#note(args[0], super.put(...args), ({ plant, outcome }) => [plant, outcome !== 'unchanged']);
  }

  override async patch(...args: Parameters<PlantClient['patch']>) {
    return this.#note(args[0], super.patch(...args), ({ plant }) => [plant, true]);
  }

  override async delete(...args: Parameters<PlantClient['delete']>) {
    return this.#note(args[0], super.delete(...args), (isDeleted) => [undefined, isDeleted]);
  }

  override async batch(batch: Batch, options?: BatchOptions) {
    const group = toGroup(batch);
    this.writes.claimGroup(group);
    return super.batch({ ...batch, group }, options);
  }

  override async import(source: ImportSource, options: ImportOptions) {
    const group = options.group ?? makeGroup(importPrefix);
    this.writes.claimGroup(group);
    return super.import(source, { ...options, group });
  }

  async #note<Result>(id: bigint, running: Promise<Result>, toAnswer: (result: Result) => Answer): Promise<Result> {
    this.writes.send(id);
    try {
      const result = await running;
      this.writes.answer(id, ...toAnswer(result));
      return result;
    } catch (error) {
      this.writes.fail(id);
      throw error;
    }
  }
}
