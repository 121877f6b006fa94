/** Counts the outcomes of a batch. Knows nothing of its actions. */
import { type ErrorCode, ServiceError } from '../../domain/errors.ts';
import type { EditOutcome } from '../../domain/store.ts';
import { toJson } from '../../json/to-json.ts';

/** Maximum number of refused plants to list; all are counted. */
const errorsMax = 1_000;

const codeOf = { unknown: 'plant_unknown', conflict: 'plant_changed' } as const satisfies Partial<
  Record<EditOutcome, ErrorCode>
>;

export class BatchReport {
  readonly group: string;
  /** Changes that an undo could not give back. */
  expired = 0;
  readonly #counts = { changed: 0, unchanged: 0, refused: 0 };
  readonly #errors: { readonly id: bigint; readonly error: number; readonly message: string }[] = [];

  constructor(group: string) {
    this.group = group;
  }

  get changed(): number {
    return this.#counts.changed;
  }

  add(id: bigint, outcome: EditOutcome): void {
    if (outcome === 'changed' || outcome === 'unchanged') {
      this.#counts[outcome] += 1;
      return;
    }
    this.#counts.refused += 1;
    if (this.#errors.length >= errorsMax) return;
    const { number, message } = new ServiceError(codeOf[outcome]);
    this.#errors.push({ id, error: number, message });
  }

  /** @param done absent while the batch goes on: without the errors. */
  toJson(done?: boolean): string {
    const { changed, unchanged, refused } = this.#counts;
    return toJson({
      group: this.group,
      done: done ?? false,
      read: changed + unchanged + refused,
      ...this.#counts,
      expired: this.expired === 0 ? undefined : this.expired,
      errors: done === undefined ? [] : this.#errors,
    });
  }
}
