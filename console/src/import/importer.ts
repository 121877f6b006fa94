/** An import without its elements: choose a file, check it with a dry run, import it. A stopped import can be continued. */
import {
  addReports,
  ConnectionError,
  emptyReport,
  importPrefix,
  type ImportReport,
  makeGroup,
  type PlantClient,
  PlantStoreError,
  type StoredPlant,
} from '../../../src/client/client.ts';
import { compareRows } from '../../../src/client/rows.ts';
import { Observable } from '../observable.ts';
import { isAway, toReason } from '../session/reasons.ts';
import { findFirstId } from '../copy/next-id.ts';
import { changePlan, type CsvPlan } from './csv-plan.ts';
import { examineRows } from './examine-rows.ts';
import { type ChosenFile, type ConflictRule, type ImportState, runningSteps } from './import-state.ts';
import { prepareFile, toUnread } from './prepare-file.ts';
import { readRows, toRest } from './read-rows.ts';

export interface ImportPorts {
  /** The client of the session; undefined: nobody is signed in. */
  readonly client: () => Pick<PlantClient, 'import' | 'get' | 'listPage'> | undefined;
  /** The plants with these ids, undefined if the page does not know all. */
  readonly findPlants: (ids: readonly bigint[]) => readonly StoredPlant[] | undefined;
  readonly noteError: (error: unknown) => void;
  /** Called when an import is over, or has to wait for the person. */
  readonly onEnd: (state: ImportState) => void;
}

/** Rows that differ from what is stored and are shown. */
const conflictsMax = 100;
/** Bytes of a part: small enough for a bar that moves, large enough for speed. */
const toPartBytes = (bytes: number): number => Math.min(1_048_576, Math.max(65_536, bytes / 20));

const choosing: ImportState = { step: 'choosing', rule: 'fail', bytes: 0, isDryRun: true };

export class Importer {
  readonly state = new Observable<ImportState>(choosing);
  readonly #ports: ImportPorts;
  #abort = new AbortController();
  /** The session ended in the middle of an import; the next one is told. */
  #isCut = false;

  constructor(ports: ImportPorts) {
    this.#ports = ports;
  }

  /** Whether more plants will be imported by themselves: not by a check, and not once the person wants to stop. */
  get isImporting(): boolean {
    const { step, isDryRun } = this.state.value;
    return !isDryRun && (step === 'importing' || step === 'paused');
  }

  async choose(file: File): Promise<void> {
    await this.#prepare(toUnread(file), 'fail');
  }

  /** Takes other columns, another encoding, or other ids. The next change adds to it, even before the file is prepared. */
  async setPlan(change: Partial<CsvPlan>, rule?: ConflictRule): Promise<void> {
    const { chosen } = this.state.value;
    if (chosen === undefined) return;
    const { csv } = chosen;
    const planned = csv && { ...csv, plan: changePlan(csv.plan, change, csv.first.length) };
    await this.#prepare({ ...chosen, csv: planned }, rule);
  }

  setRule(rule: ConflictRule): void {
    void this.setPlan({}, rule);
  }

  start(): void {
    void this.#run({ isDryRun: false, bytes: 0, report: undefined, group: undefined });
  }

  /** Finishes the part that is being sent, then stops: the figures are exact. */
  stop(): void {
    const { step, isDryRun } = this.state.value;
    const isIdle = step === 'paused' || isDryRun;
    if (isIdle) this.#abort.abort();
    this.#set({ step: isIdle ? 'stopped' : 'stopping' });
  }

  /** Goes on after the last confirmed row. */
  resume(): void {
    // What is to be checked may not be prepared yet.
    if (this.state.value.isDryRun) void this.setPlan({});
    else void this.#run({});
  }

  /** Call when the person signs out, too. */
  reset(): void {
    this.#abort.abort();
    this.state.set(choosing);
  }

  retry(): void {
    if (this.state.value.step === 'paused') this.resume();
  }

  changeSession(isOpen: boolean): void {
    const { step, isDryRun } = this.state.value;
    if (!isOpen && runningSteps.includes(step)) {
      this.#abort.abort();
      this.#isCut = !isDryRun;
      this.#set({ step: 'stopped', message: 'The session ended.' });
    } else if (isOpen && this.#isCut) {
      this.#isCut = false;
      if (step === 'stopped') this.#ports.onEnd(this.state.value);
    }
  }

  #set(change: Partial<ImportState>): void {
    this.state.set({ ...this.state.value, ...change });
  }

  #begin(): AbortController {
    this.#abort.abort();
    return (this.#abort = new AbortController());
  }

  async #prepare(before: ChosenFile, rule = this.state.value.rule): Promise<void> {
    const { signal } = this.#begin();
    this.state.set({ ...choosing, step: 'checking', chosen: before, rule });
    const chosen = await prepareFile(before, () => findFirstId(this.#ports.client())).catch(async (error: unknown) => {
      if (!isOfService(error)) return toReason(error);
      await this.#fail(error, signal);
      return undefined;
    });
    if (signal.aborted || chosen === undefined) return;
    if (typeof chosen === 'string')
      this.state.set({ ...choosing, step: 'failed', chosen: toUnread(before.file), rule, message: chosen });
    else void this.#run({ chosen });
  }

  /** Checks the file, or imports what is left of it. */
  async #run(change: Partial<ImportState>): Promise<void> {
    const client = this.#ports.client();
    const now = { ...this.state.value, ...change };
    const { chosen, rule, isDryRun, bytes, group = makeGroup(importPrefix) } = now;
    if (client === undefined || chosen === undefined) return;
    const { signal } = this.#begin();
    const conflicts = isDryRun ? undefined : now.conflicts;
    const base = { chosen, rule, isDryRun, group, conflicts };
    const report = bytes > 0 ? now.report : undefined;
    this.state.set({ ...base, step: isDryRun ? 'checking' : 'importing', bytes, report });
    try {
      const done = await this.#send(client, base, bytes, report);
      const { source, format } = chosen;
      const checked = isDryRun ? await this.#compare(client, base, done, signal) : { report: done };
      const lines = checked.report.errors.map(({ line }) => Number(line));
      const rows = await readRows(source, format, lines);
      if (signal.aborted) return;
      this.state.set({ ...base, step: isDryRun ? 'checked' : 'done', bytes: source.size, rows, ...checked });
    } catch (error) {
      await this.#fail(error, signal);
    }
    if (!isDryRun && !signal.aborted && this.state.value.step !== 'paused') this.#ports.onEnd(this.state.value);
  }

  /** Sends what follows the first bytes of the file. Resolves to the report of all of it. */
  async #send(
    client: Pick<PlantClient, 'import'>,
    { chosen, rule, isDryRun, group }: Pick<Required<ImportState>, 'chosen' | 'rule' | 'isDryRun' | 'group'>,
    sent: number,
    before = emptyReport,
  ): Promise<ImportReport> {
    const { source, format } = chosen;
    const { signal } = this.#abort;
    const rest = await toRest(source, format, sent);
    let report = before;
    await client.import(rest.source, {
      mediaType: format,
      onConflict: rule,
      dryRun: isDryRun,
      partBytes: toPartBytes(source.size),
      group,
      signal,
      onProgress: (part) => {
        if (signal.aborted) return;
        const bytes = rest.toFileBytes(part.bytes);
        report = addReports(before, part.report, rest.lineOffset);
        const isStopped = this.state.value.step === 'stopping' && bytes < source.size;
        if (isStopped) this.#abort.abort();
        this.#set({ bytes, report, ...(isStopped ? { step: 'stopped' } : {}) });
      },
    });
    return report;
  }

  /** What the import will do, and what to look at before. */
  async #compare(
    client: Pick<PlantClient, 'import' | 'get'>,
    { chosen: { source, format }, rule }: Pick<Required<ImportState>, 'chosen' | 'rule'>,
    checked: ImportReport,
    signal: AbortSignal,
  ): Promise<Pick<ImportState, 'report' | 'repeated' | 'conflicts' | 'findings'> & { readonly report: ImportReport }> {
    const { findings, watch } = examineRows();
    const { reports, ...compared } = await compareRows(client, [{ source, mediaType: format, report: checked }], {
      onConflict: rule,
      findPlants: this.#ports.findPlants,
      conflictsMax,
      watch,
      signal,
    });
    return { ...compared, report: reports[0] ?? checked, findings };
  }

  async #fail(error: unknown, signal: AbortSignal): Promise<void> {
    const { chosen, rule, isDryRun, step } = this.state.value;
    if (chosen === undefined) return;
    // Saved again since it was chosen: browsers then refuse to read it.
    const isLost = await chosen.file
      .slice(0, 1)
      .arrayBuffer()
      .then(
        () => false,
        () => true,
      );
    if (signal.aborted) return;
    this.#ports.noteError(error);
    // The session has ended.
    if (this.#ports.client() === undefined) return;
    const message = isLost ? 'The file was changed or moved. Choose it again.' : toReason(error);
    // Replacing may have been done, and would then undo what others have written since: the person decides.
    const isHarmful = rule === 'replace' && !isDryRun;
    const isOver = isLost || !isAway(error);
    const next = isOver ? 'failed' : step === 'stopping' || isHarmful ? 'stopped' : 'paused';
    this.#set({ step: next, message, chosen: isLost ? toUnread(chosen.file) : chosen });
  }
}

const isOfService = (error: unknown): boolean => error instanceof PlantStoreError || error instanceof ConnectionError;
