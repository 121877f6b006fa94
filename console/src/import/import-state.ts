/** What is known of an import, step by step. */
import type { ImportReport, RowFormat } from '../../../src/client/client.ts';
import type { FileRow } from './read-rows.ts';

export type ConflictRule = 'fail' | 'skip' | 'replace';

export interface ChosenFile {
  readonly file: File;
  readonly format: RowFormat;
  /** Its first lines. */
  readonly preview: readonly string[];
}

/** `paused`: the connection was lost; it resumes automatically, as long as that can undo nothing. `stopping`: the current part is being finished. */
export type ImportStep =
  'choosing' | 'checking' | 'checked' | 'importing' | 'stopping' | 'stopped' | 'done' | 'paused' | 'failed';

export interface ImportState {
  readonly step: ImportStep;
  readonly chosen?: ChosenFile;
  readonly rule: ConflictRule;
  readonly isDryRun: boolean;
  /** Bytes of the file that the service has confirmed. */
  readonly bytes: number;
  /** Of the dry run, or of the import so far. */
  readonly report?: ImportReport;
  /** Refused rows by the lines they begin on. */
  readonly rows?: ReadonlyMap<number, FileRow>;
  /** Why it ended early. */
  readonly message?: string;
}

export const runningSteps: readonly ImportStep[] = ['checking', 'importing', 'stopping', 'paused'];
