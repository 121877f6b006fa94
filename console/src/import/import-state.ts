/** What is known of an import, step by step. */
import { csvMalformed, type ImportReport, type RowFormat, rowTooLong } from '../../../src/client/client.ts';
import type { Comparison, Conflict, PlantRow } from '../../../src/client/rows.ts';
import type { Cells, CsvPlan } from './csv-plan.ts';
import type { CellRow } from './find-table.ts';
import type { FileRow } from './read-rows.ts';
import type { RowFindings } from './examine-rows.ts';

export type ConflictRule = 'fail' | 'skip' | 'replace';

export interface CsvFile {
  /** The headings, or the first row. */
  readonly first: Cells;
  readonly plan: CsvPlan;
  /** Some rows, among them that of the headings. */
  readonly rows: readonly CellRow[];
  /** The row that looks like a sum. */
  readonly sum?: Cells | undefined;
}

export interface ChosenFile {
  readonly file: File;
  readonly format: RowFormat;
  /** What is sent: the file, or what was made of it. */
  readonly source: Blob;
  /** Lines of the source before the first line of the file. */
  readonly addedLines: 0 | 1;
  /** Rows without a name that are not in the source, as the person wants it. */
  readonly leftOut: number;
  /** The first rows of the source. Absent: it is not known yet what is to be sent, or the file is lost. */
  readonly preview?: readonly PlantRow[];
  readonly csv?: CsvFile | undefined;
}

/** `paused`: the connection was lost; it resumes automatically, as long as that can undo nothing. `stopping`: the current part is being finished. */
export type ImportStep =
  'choosing' | 'checking' | 'checked' | 'importing' | 'stopping' | 'stopped' | 'done' | 'paused' | 'failed';

export interface ImportState {
  readonly step: ImportStep;
  readonly chosen?: ChosenFile;
  readonly rule: ConflictRule;
  readonly isDryRun: boolean;
  readonly group?: string | undefined;
  /** Bytes of the file that the service has confirmed. */
  readonly bytes: number;
  /** Of the dry run, or of the import so far. */
  readonly report?: ImportReport | undefined;
  /** Of the file that was checked. */
  readonly findings?: RowFindings;
  readonly repeated?: Comparison<ImportReport>['repeated'] | undefined;
  /** The first of them, as a check has found them. */
  readonly conflicts?: readonly Conflict[] | undefined;
  /** Refused rows by the lines they begin on. */
  readonly rows?: ReadonlyMap<number, FileRow>;
  readonly message?: string;
}

/** Of the parts of the page that show a chosen file. */
export interface ImportProps {
  readonly chosen: ChosenFile;
  readonly state: ImportState;
}

export const runningSteps: readonly ImportStep[] = ['checking', 'importing', 'stopping', 'paused'];

/** The rows that a quote without an end has made part of one, this one included: the first and the last line. */
export function findUnread({ report, rows }: ImportState): readonly (readonly [first: number, last: number])[] {
  return (report?.errors ?? []).flatMap(({ line, error }) => {
    const last = rows?.get(Number(line))?.lastLine ?? 0;
    const isOpen = (error === csvMalformed || error === rowTooLong) && last > Number(line);
    return isOpen ? [[Number(line), last] as const] : [];
  });
}

/** Rows that the service counts as one with that of a quote without an end: they are refused, too. */
export function countJoined(state: ImportState): bigint {
  return BigInt(findUnread(state).reduce((sum, [first, last]) => sum + last - first, 0));
}
