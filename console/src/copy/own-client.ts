/** A client that remembers what it writes. The change may arrive before the response, so it is noted before it is sent. */
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

interface Answer {
  readonly state: State;
  /** The log has a change for it. */
  readonly hasChanged: boolean;
}

export class OwnClient extends PlantClient {
  readonly writes = new OwnWrites();

  override async create(...args: Parameters<PlantClient['create']>) {
    const [wanted] = args;
    return this.#note(wanted.id, super.create(...args), ({ replayed }) => ({
      state: pickPlant(wanted.id, wanted),
      hasChanged: !replayed,
    }));
  }

  override async put(...args: Parameters<PlantClient['put']>) {
    return this.#note(args[0], super.put(...args), ({ plant, outcome }) => ({
      state: plant,
      hasChanged: outcome !== 'unchanged',
    }));
  }

  override async patch(...args: Parameters<PlantClient['patch']>) {
    return this.#note(args[0], super.patch(...args), ({ plant }) => ({ state: plant, hasChanged: true }));
  }

  override async delete(...args: Parameters<PlantClient['delete']>) {
    return this.#note(args[0], super.delete(...args), (isDeleted) => ({ state: undefined, hasChanged: isDeleted }));
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
      const { state, hasChanged } = toAnswer(result);
      this.writes.answer(id, state, hasChanged);
      return result;
    } catch (error) {
      this.writes.fail(id);
      throw error;
    }
  }
}
