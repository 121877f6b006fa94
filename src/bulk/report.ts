/** The report of a run: a count of each outcome, and the refused items; its progress if an error ends it. */
import { type ErrorCode, ServiceError } from '../domain/errors.ts';

/** Maximum number of refused items to list, as in openapi.yaml: bounds memory. All are counted. */
const errorsMax = 1_000;

/** Of the rows of an import, or of the plants of a batch. */
export class Report<Outcome extends string> {
  readonly #counts: Map<Outcome | 'refused', number>;
  readonly #errors: object[] = [];

  /** @param outcomes in the order of the report. */
  constructor(outcomes: readonly Outcome[]) {
    this.#counts = new Map([...outcomes, 'refused' as const].map((outcome) => [outcome, 0]));
  }

  get errors(): readonly object[] {
    return this.#errors;
  }

  count(outcome: Outcome | 'refused'): number {
    return this.#counts.get(outcome) ?? 0;
  }

  add(outcome: Outcome | 'refused'): void {
    this.#counts.set(outcome, this.count(outcome) + 1);
  }

  /** @param item names it in the list. */
  refuse(item: { readonly line: number } | { readonly id: bigint }, { number, message }: ServiceError): void {
    this.add('refused');
    if (this.#errors.length < errorsMax) this.#errors.push({ ...item, error: number, message });
  }

  /** The members of a report that are numbers. */
  toCounts(): object {
    const read = this.#counts.values().reduce((sum, count) => sum + count, 0);
    return { read, ...Object.fromEntries(this.#counts) };
  }
}

/** Errors of a request that has written nothing, and would not if it was sent again. */
const withoutProgress: ReadonlySet<ErrorCode> = new Set(['csv_header_invalid', 'group_taken', 'group_unknown']);

/** Errors of a request that would end in the same way if it was sent again. */
const finalErrors: ReadonlySet<ErrorCode> = new Set(['internal', 'token_invalid']);

/** Returns the same error with the progress. @param remedy how to finish it, unless it cannot be. */
export function withProgress(error: unknown, describeProgress: (code: ErrorCode) => string, remedy: string): unknown {
  if (!(error instanceof ServiceError) || withoutProgress.has(error.code)) return error;
  const done = describeProgress(error.code);
  const detail = finalErrors.has(error.code) ? done : `${done}; ${remedy}`;
  return new ServiceError(error.code, { detail, cause: error.cause ?? error });
}
