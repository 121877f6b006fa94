/** The steps of an import: choose a file, check it with a dry run, import it. A stopped import can be continued. */
import type { ImportReport, RowFormat } from '../../../src/client/client.ts';
import { addReports, emptyReport } from '../../../src/client/import-parts.ts';
import { skipToNow } from '../history/follow-changes.ts';
import { onBack } from '../session/connection.ts';
import { Observable, useValue } from '../observable.ts';
import { navigate, route, viewChange } from '../route.ts';
import { onDraftsDropped } from '../session/drafts.ts';
import { isAway, noteError, session } from '../session/session.ts';
import { toCount } from '../ui/numbers.ts';
import { showToast } from '../ui/toasts.tsx';
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

const choosing: ImportState = { step: 'choosing', rule: 'fail', bytes: 0, isDryRun: true };
export const runningSteps: readonly ImportStep[] = ['checking', 'importing', 'stopping', 'paused'];
/** Outlives the view: an import goes on while another one is shown. With the session it stops, to be continued in the next. */
const state = new Observable<ImportState>(choosing);
let abort: AbortController | undefined;

export function useImport(): Importer {
  return { ...useValue(state), choose, setFormat, setRule, start, stop, resume, reset };
}

/** Whether more plants will be imported by themselves: not by a check, and not once the person wants to stop. */
export function isImporting(): boolean {
  const { step, isDryRun } = state.value;
  return !isDryRun && (step === 'importing' || step === 'paused');
}

onBack(() => {
  if (state.value.step === 'paused') resume();
});
onDraftsDropped(() => {
  abort?.abort();
  state.set(choosing);
});
/** A session ended in the middle of an import; the next one is told. */
let isCut = false;
session.subscribe(() => {
  if (session.value === undefined && runningSteps.includes(state.value.step)) {
    abort?.abort();
    isCut = !state.value.isDryRun;
    setState({ step: 'stopped', message: 'The session ended.' });
  } else if (isCut && typeof session.value === 'object') {
    isCut = false;
    if (state.value.step === 'stopped' && route.value.view !== 'import') tellEnd(state.value);
  }
});
addEventListener('beforeunload', (event) => {
  if (isImporting()) event.preventDefault();
});

function setState(change: Partial<ImportState>): void {
  state.set({ ...state.value, ...change });
}

/** @param from bytes and report of the rows that are imported already. */
async function run(
  chosen: ChosenFile,
  rule: ConflictRule,
  isDryRun: boolean,
  from: Pick<ImportState, 'bytes'> & { readonly report: ImportReport } = { bytes: 0, report: emptyReport },
): Promise<void> {
  const current = session.value;
  if (typeof current !== 'object') return;
  abort?.abort();
  const controller = (abort = new AbortController());
  const { signal } = controller;
  const { file, format } = chosen;
  const base = { chosen, rule, isDryRun };
  let { bytes, report } = from;
  state.set({ ...base, step: isDryRun ? 'checking' : 'importing', bytes, ...(bytes > 0 ? { report } : {}) });
  try {
    const rest = await toRest(file, format, from.bytes);
    await current.client.import(rest.source, {
      mediaType: format,
      onConflict: rule,
      dryRun: isDryRun,
      partBytes,
      signal,
      onProgress: (part) => {
        if (signal.aborted) return;
        bytes = rest.toFileBytes(part.bytes);
        report = addReports(from.report, part.report, rest.lineOffset);
        const isStopped = state.value.step === 'stopping' && bytes < file.size;
        if (isStopped) controller.abort();
        setState({ bytes, report, ...(isStopped ? { step: 'stopped' } : {}) });
      },
    });
    const lines = report.errors.map(({ line }) => Number(line));
    const rows = await readRows(file, format, lines.slice(0, errorsMax));
    if (signal.aborted) return;
    state.set({ ...base, step: isDryRun ? 'checked' : 'done', bytes: file.size, report, rows });
  } catch (error) {
    // Saved again since it was chosen: browsers then refuse to read it.
    const isLost = await file
      .slice(0, 1)
      .arrayBuffer()
      .then(
        () => false,
        () => true,
      );
    if (signal.aborted) return;
    noteError(error, 'write');
    // The session has ended.
    if (session.value === undefined) return;
    const reason = error instanceof Error ? error.message : String(error);
    const message = isLost ? 'The file was changed or moved. Choose it again.' : reason;
    // Replacing may have been done, and would then undo what others have written since: the person decides.
    const isHarmful = rule === 'replace' && !isDryRun;
    const isOver = isLost || !isAway(error);
    const step = isOver ? 'failed' : state.value.step === 'stopping' || isHarmful ? 'stopped' : 'paused';
    setState({ step, message, chosen: isLost ? { ...chosen, preview: [] } : chosen });
  } finally {
    if (!isDryRun) skipToNow();
  }
  if (!isDryRun && route.value.view !== 'import') tellEnd(state.value);
}

/** For someone who looks at something else. */
function tellEnd({ step, message = '', report: { refused } = emptyReport }: ImportState): void {
  if (step === 'paused') return;
  const isDone = step === 'done';
  showToast({
    text: isDone
      ? `The import is complete${refused > 0n ? `, ${toCount(refused, 'row')} refused` : ''}.`
      : `The import ended early. ${message}`,
    isBad: !isDone,
    actions: [{ label: 'Show', run: () => navigate(viewChange('import')) }],
  });
}

async function choose(file: File): Promise<void> {
  const { rule } = state.value;
  const beginning = file.slice(0, 65_536);
  // A folder can be dropped, too, but not read.
  const text = await beginning.text().catch(() => undefined);
  if (text === undefined) {
    const message = 'This file cannot be read. Choose a file, not a folder.';
    const chosen: ChosenFile = { file, format: 'text/csv', preview: [] };
    state.set({ step: 'failed', chosen, rule, isDryRun: true, bytes: 0, message });
    return;
  }
  const preview = text.split(/\r?\n/).slice(0, previewLines);
  if (preview.at(-1) === '') preview.pop();
  const next = { file, format: guessFormat(file.name, text), preview };
  const encoding = await findOtherEncoding(file);
  if (encoding === undefined) check(next, rule);
  else {
    const message = `This file is not UTF-8, it looks like ${encoding}. Save it as UTF-8 (in a spreadsheet: “CSV UTF-8”) and choose it again.`;
    state.set({ step: 'failed', chosen: { ...next, preview: [] }, rule, isDryRun: true, bytes: 0, message });
  }
}

function check(chosen: ChosenFile, rule: ConflictRule): void {
  void run(chosen, rule, true);
}

function setFormat(format: RowFormat): void {
  const { chosen, rule } = state.value;
  if (chosen !== undefined) check({ ...chosen, format }, rule);
}

function setRule(rule: ConflictRule): void {
  const { chosen } = state.value;
  if (chosen !== undefined) check(chosen, rule);
}

function start(): void {
  const { chosen, rule } = state.value;
  if (chosen !== undefined) void run(chosen, rule, false);
}

function stop(): void {
  const { step, isDryRun } = state.value;
  const isIdle = step === 'paused' || isDryRun;
  if (isIdle) abort?.abort();
  setState({ step: isIdle ? 'stopped' : 'stopping' });
}

function resume(): void {
  const { chosen, rule, isDryRun, bytes, report } = state.value;
  if (chosen === undefined) return;
  void run(chosen, rule, isDryRun, isDryRun || report === undefined ? undefined : { bytes, report });
}

function reset(): void {
  abort?.abort();
  state.set({ ...choosing, rule: state.value.rule });
}

/** Refused rows that a report names at most. */
const errorsMax = 1_000;

function guessFormat(fileName: string, text: string): RowFormat {
  if (/\.(csv|tsv)$/i.test(fileName)) return 'text/csv';
  if (/\.(ndjson|jsonl?)$/i.test(fileName)) return 'application/x-ndjson';
  return /^\s*\{/.test(text) ? 'application/x-ndjson' : 'text/csv';
}
