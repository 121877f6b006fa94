/** Counts the outcomes of an import, row by row in the order of the body. */
import { ServiceError } from '../../domain/errors.ts';
import type { RowOutcome } from '../../domain/store.ts';
import { toJson } from '../../json/to-json.ts';

/** Maximum number of refused rows to list; all are counted. */
const errorsMax = 1_000;

export class ImportReport {
  #read = 0;
  readonly #counts = { created: 0, unchanged: 0, replaced: 0, skipped: 0, refused: 0 };
  readonly #errors: string[] = [];
  #lastLine = 0;

  /** First line of the last added row; 0 if there is none. */
  get lastLine(): number {
    return this.#lastLine;
  }

  /** Adds the next row. */
  add(line: number, outcome: RowOutcome | ServiceError): void {
    this.#read += 1;
    this.#lastLine = line;
    if (outcome === 'taken') this.#refuse(line, new ServiceError('plant_id_taken'));
    else if (outcome instanceof ServiceError) this.#refuse(line, outcome);
    else this.#counts[outcome] += 1;
  }

  toJson(): string {
    const counts = JSON.stringify({ read: this.#read, ...this.#counts });
    return `${counts.slice(0, -1)},"errors":[${this.#errors.join(',')}]}`;
  }

  #refuse(line: number, { number, message }: ServiceError): void {
    this.#counts.refused += 1;
    if (this.#errors.length < errorsMax) this.#errors.push(toJson({ line, error: number, message }));
  }
}
