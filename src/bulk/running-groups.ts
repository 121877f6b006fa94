/**
 * The groups of a space that have a run now, in memory: `group.ts` says who asks for them. As many as
 * there are places for imports and batches.
 */
import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '../domain/errors.ts';
import type { GroupUse } from './group.ts';

interface RunningGroup {
  /** What all of its runs are for. */
  readonly use: GroupUse;
  /** Resolves once all of its runs have ended. */
  readonly ended: Promise<unknown>;
}

export class RunningGroups {
  readonly #groups = new Map<string, RunningGroup>();

  /** @throws ServiceError `group_taken` if the group has a run for another use. */
  require(group: string, use: GroupUse): void {
    const running = this.#groups.get(group);
    if (running !== undefined && !isDeepStrictEqual(use, running.use))
      throw new ServiceError('group_taken', { detail: 'A request that is still running has it' });
  }

  /** Resolves once all runs that have one of the groups now have ended. Undefined if there is none. */
  whenEnded(groups: readonly string[]): Promise<unknown> | undefined {
    const ends = groups.flatMap((group) => this.#groups.get(group)?.ended ?? []);
    return ends.length === 0 ? undefined : Promise.all(ends);
  }

  /** Adds a run to its group until the run settles. @param use see `require`. */
  add(group: string, use: GroupUse, run: Promise<unknown>): void {
    const ended = Promise.allSettled([this.#groups.get(group)?.ended, run]).then(() => {
      if (this.#groups.get(group)?.ended === ended) this.#groups.delete(group);
    });
    this.#groups.set(group, { use, ended });
  }
}
