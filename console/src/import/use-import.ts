/** The steps of an import: a file, a dry run that says what would become of its rows, the import itself. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ImportReport, PlantClient, RowFormat } from '../../../src/client/client.ts';
import { announce } from '../plants/changes.ts';
import { connection } from '../session/connection.ts';
import { isAway, noteError } from '../session/session.ts';
import { readLines } from './read-lines.ts';

export type ConflictRule = 'fail' | 'skip' | 'replace';

export interface ChosenFile {
  readonly file: File;
  readonly format: RowFormat;
  /** Its first lines. */
  readonly preview: readonly string[];
}

/** `paused`: the service went away in the middle; it goes on by itself. */
export type ImportStep = 'choosing' | 'checking' | 'checked' | 'importing' | 'done' | 'paused' | 'failed';

export interface ImportState {
  readonly step: ImportStep;
  readonly chosen?: ChosenFile;
  readonly rule: ConflictRule;
  /** Bytes that the service has taken. */
  readonly bytes: number;
  /** Of the dry run, or of the import so far. */
  readonly report?: ImportReport;
  /** Text of the refused lines. */
  readonly lines?: ReadonlyMap<number, string>;
  readonly message?: string;
}

export interface Importer extends ImportState {
  readonly choose: (file: File) => Promise<void>;
  readonly setFormat: (format: RowFormat) => void;
  readonly setRule: (rule: ConflictRule) => void;
  readonly start: () => void;
  /** Stops what runs; what is stored stays stored. */
  readonly stop: () => void;
  readonly reset: () => void;
}

/** Lines of the preview. */
const previewLines = 8;
/** Small enough for a bar that moves, large enough for speed. */
const partBytes = 1_048_576;

export function useImport(client: PlantClient): Importer {
  const [state, setState] = useState<ImportState>({ step: 'choosing', rule: 'fail', bytes: 0 });
  const abort = useRef<AbortController | undefined>(undefined);
  const wasDryRun = useRef(true);

  const run = async (chosen: ChosenFile, rule: ConflictRule, dryRun: boolean): Promise<void> => {
    abort.current?.abort();
    const controller = new AbortController();
    abort.current = controller;
    wasDryRun.current = dryRun;
    const { signal } = controller;
    const { file, format } = chosen;
    setState({ step: dryRun ? 'checking' : 'importing', chosen, rule, bytes: 0 });
    try {
      const report = await client.import(file, {
        mediaType: format,
        onConflict: rule,
        dryRun,
        partBytes,
        signal,
        onProgress: ({ bytes, report: part }) => {
          if (!signal.aborted) setState((before) => ({ ...before, bytes, report: part }));
        },
      });
      if (signal.aborted) return;
      const lines = await readLines(
        file,
        report.errors.slice(0, shownErrorsMax).map(({ line }) => Number(line)),
      );
      setState({ step: dryRun ? 'checked' : 'done', chosen, rule, bytes: file.size, report, lines });
    } catch (error) {
      if (signal.aborted) return;
      noteError(error, 'write');
      const message = error instanceof Error ? error.message : String(error);
      setState((before) => ({ ...before, step: isAway(error) ? 'paused' : 'failed', message }));
    } finally {
      if (!dryRun) announce({ kind: 'many' });
    }
  };

  const goOn = useRef<() => void>(() => undefined);
  goOn.current = () => {
    if (state.step === 'paused' && state.chosen !== undefined) void run(state.chosen, state.rule, wasDryRun.current);
  };
  useEffect(() => connection.subscribe(() => !connection.value.isAway && goOn.current()), []);
  useEffect(() => () => abort.current?.abort(), []);

  return {
    ...state,
    choose: async (file) => {
      const text = await file.slice(0, 65_536).text();
      const preview = text.split(/\r?\n/).slice(0, previewLines);
      if (preview.at(-1) === '') preview.pop();
      const chosen = { file, format: guessFormat(file.name, text), preview };
      await run(chosen, state.rule, true);
    },
    setFormat: (format) => {
      if (state.chosen !== undefined) void run({ ...state.chosen, format }, state.rule, true);
    },
    setRule: (rule) => {
      if (state.chosen !== undefined) void run(state.chosen, rule, true);
    },
    start: () => {
      if (state.chosen !== undefined) void run(state.chosen, state.rule, false);
    },
    stop: () => {
      abort.current?.abort();
      setState((before) => ({
        ...before,
        step: 'failed',
        message: 'Stopped. Rows that were stored before stay stored.',
      }));
    },
    reset: () => {
      abort.current?.abort();
      setState({ step: 'choosing', rule: state.rule, bytes: 0 });
    },
  };
}

/** Refused rows that are shown. */
export const shownErrorsMax = 200;

function guessFormat(fileName: string, text: string): RowFormat {
  if (/\.csv$/i.test(fileName)) return 'text/csv';
  if (/\.(ndjson|jsonl?)$/i.test(fileName)) return 'application/x-ndjson';
  return /^\s*\{/.test(text) ? 'application/x-ndjson' : 'text/csv';
}
