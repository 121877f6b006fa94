/** The steps of an import: choose a file, check it with a dry run, import it. A stopped import can be continued. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ImportReport, PlantClient, RowFormat } from '../../../src/client/client.ts';
import { addReports, emptyReport } from '../../../src/client/import-parts.ts';
import { skipToNow } from '../history/follow-changes.ts';
import { connection } from '../session/connection.ts';
import { isAway, noteError } from '../session/session.ts';
import { findOtherEncoding } from './find-encoding.ts';
import { toRest } from './import-rest.ts';
import { type FileRow, readRows } from './read-rows.ts';

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

export interface Importer extends ImportState {
  readonly choose: (file: File) => Promise<void>;
  readonly setFormat: (format: RowFormat) => void;
  readonly setRule: (rule: ConflictRule) => void;
  readonly start: () => void;
  /** Finishes the part that is being sent, then stops: the figures are exact. */
  readonly stop: () => void;
  /** Goes on after the last confirmed row. */
  readonly resume: () => void;
  readonly reset: () => void;
}

/** Lines of the preview. */
const previewLines = 8;
/** Small enough for a bar that moves, large enough for speed. */
const partBytes = 1_048_576;

export function useImport(client: PlantClient): Importer {
  const [state, setState] = useState<ImportState>({ step: 'choosing', rule: 'fail', bytes: 0, isDryRun: true });
  const abort = useRef<AbortController | undefined>(undefined);
  const isStopping = useRef(false);
  const wantsStop = (): boolean => isStopping.current;

  /** @param from bytes and report of the rows that are imported already. */
  const run = async (
    chosen: ChosenFile,
    rule: ConflictRule,
    isDryRun: boolean,
    from: Pick<ImportState, 'bytes'> & { readonly report: ImportReport } = { bytes: 0, report: emptyReport },
  ): Promise<void> => {
    abort.current?.abort();
    const controller = new AbortController();
    abort.current = controller;
    isStopping.current = false;
    const { signal } = controller;
    const { file, format } = chosen;
    const base = { chosen, rule, isDryRun };
    let { bytes, report } = from;
    setState({ ...base, step: isDryRun ? 'checking' : 'importing', bytes, ...(bytes > 0 ? { report } : {}) });
    try {
      const rest = await toRest(file, format, from.bytes);
      await client.import(rest.source, {
        mediaType: format,
        onConflict: rule,
        dryRun: isDryRun,
        partBytes,
        signal,
        onProgress: (part) => {
          if (signal.aborted) return;
          bytes = rest.toFileBytes(part.bytes);
          report = addReports(from.report, part.report, rest.lineOffset);
          const isStopped = wantsStop() && bytes < file.size;
          if (isStopped) controller.abort();
          setState((before) => ({ ...before, bytes, report, step: isStopped ? 'stopped' : before.step }));
        },
      });
      if (signal.aborted) return;
      const lines = report.errors.map(({ line }) => Number(line));
      const rows = await readRows(file, format, lines.slice(0, errorsMax));
      setState({ ...base, step: isDryRun ? 'checked' : 'done', bytes: file.size, report, rows });
    } catch (error) {
      if (signal.aborted) return;
      noteError(error, 'write');
      const message = error instanceof Error ? error.message : String(error);
      // Replacing may have been done, and would then undo what others have written since: the person decides.
      const isHarmful = rule === 'replace' && !isDryRun;
      const step = !isAway(error) ? 'failed' : wantsStop() || isHarmful ? 'stopped' : 'paused';
      setState((before) => ({ ...before, step, message }));
    } finally {
      if (!isDryRun) skipToNow();
    }
  };

  const check = (chosen: ChosenFile, rule: ConflictRule): void => void run(chosen, rule, true);
  const { chosen, rule, isDryRun, bytes, report } = state;
  const resume = (): void => {
    if (chosen === undefined) return;
    void run(chosen, rule, isDryRun, isDryRun || report === undefined ? undefined : { bytes, report });
  };
  const onReconnect = useRef<() => void>(() => undefined);
  onReconnect.current = () => {
    if (state.step === 'paused') resume();
  };
  useEffect(() => connection.subscribe(() => !connection.value.isAway && onReconnect.current()), []);
  useEffect(() => () => abort.current?.abort(), []);

  return {
    ...state,
    choose: async (file) => {
      const beginning = file.slice(0, 65_536);
      // A folder can be dropped, too, but not read.
      const text = await beginning.text().catch(() => undefined);
      if (text === undefined) {
        const message = 'This file cannot be read. Choose a file, not a folder.';
        const chosen: ChosenFile = { file, format: 'text/csv', preview: [] };
        setState({ step: 'failed', chosen, rule, isDryRun: true, bytes: 0, message });
        return;
      }
      const preview = text.split(/\r?\n/).slice(0, previewLines);
      if (preview.at(-1) === '') preview.pop();
      const next = { file, format: guessFormat(file.name, text), preview };
      const encoding = await findOtherEncoding(file);
      if (encoding === undefined) check(next, rule);
      else {
        const message = `This file is not UTF-8, it looks like ${encoding}. Save it as UTF-8 (in a spreadsheet: “CSV UTF-8”) and choose it again.`;
        setState({ step: 'failed', chosen: { ...next, preview: [] }, rule, isDryRun: true, bytes: 0, message });
      }
    },
    setFormat: (format) => chosen !== undefined && check({ ...chosen, format }, rule),
    setRule: (next) => chosen !== undefined && check(chosen, next),
    start: () => chosen !== undefined && void run(chosen, rule, false),
    stop: () => {
      isStopping.current = true;
      const isIdle = state.step === 'paused' || isDryRun;
      if (isIdle) abort.current?.abort();
      setState((before) => ({ ...before, step: isIdle ? 'stopped' : 'stopping' }));
    },
    resume,
    reset: () => {
      abort.current?.abort();
      setState({ step: 'choosing', rule, bytes: 0, isDryRun: true });
    },
  };
}

/** Refused rows that a report names at most. */
const errorsMax = 1_000;

function guessFormat(fileName: string, text: string): RowFormat {
  if (/\.(csv|tsv)$/i.test(fileName)) return 'text/csv';
  if (/\.(ndjson|jsonl?)$/i.test(fileName)) return 'application/x-ndjson';
  return /^\s*\{/.test(text) ? 'application/x-ndjson' : 'text/csv';
}
