/** Takes the place of `src/store/sqlite/tables/change-writes.ts`: writes nothing. */
import type { ChangeWrites as LogWrites } from '../src/store/sqlite/tables/change-writes.ts';

export class ChangeWrites implements Pick<LogWrites, 'next' | 'note' | 'flush' | 'reset'> {
  readonly next = 0n;

  note(): void {
    // There is no log.
  }

  flush(): void {
    // Nothing waits.
  }

  reset(): void {
    // Nothing waits.
  }
}

export function prepareRemoveOldest(): () => number {
  return () => 0;
}
