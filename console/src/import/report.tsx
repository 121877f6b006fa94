/** What an import did or would do: counts, and what to look at before. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ImportReport } from '../../../src/client/client.ts';
import { plantIdInvalid } from '../../../src/domain/error-numbers.ts';
import { Drawing } from '../ui/icons.tsx';
import { toCount, toGrouped } from '../ui/numbers.ts';
import { Correction, Corrections } from './corrections.tsx';
import type { RowFindings } from './examine-rows.ts';
import { importer } from './use-import.ts';
import { type ChosenFile, type ConflictRule, type ImportProps, type ImportStep, runningSteps } from './import-state.ts';

export function Report({ chosen, state: { step, report, rows, repeated, isDryRun, rule } }: ImportProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isRunning = runningSteps.includes(step);
  const isOver = !isDryRun && !isRunning;
  useLayoutEffect(() => {
    if (isOver) heading.current?.focus();
  }, [isOver]);
  // While the rows are checked again, what is below stays where it is.
  if (report === undefined && step === 'checking') return <h2 class="report">Checking…</h2>;
  // A check that failed says nothing about the rest; an import that failed has stored these rows.
  if (report === undefined || (step === 'failed' && isDryRun)) return null;
  const title = (
    <h2 id="report-title" ref={heading} tabIndex={-1}>
      {toSentence(report, isDryRun, step)}
    </h2>
  );
  return (
    <section class="report" aria-labelledby="report-title">
      {step === 'done' && <Drawing name="import-done" />}
      <div>
        {isRunning && title}
        {/* Only what it ends with is read out: the rest changes with each part. */}
        <div role="status">{!isRunning && title}</div>
      </div>
      <ul class="report-figures">
        <ReportFigure count={report.created} name={isDryRun ? 'new' : 'added'} kind="good" />
        <ReportFigure count={report.replaced} name={isDryRun ? 'to change' : 'changed'} kind="good" />
        <ReportFigure count={report.unchanged} name="already there" />
        <ReportFigure count={report.skipped} name={isDryRun ? 'to skip' : 'skipped'} />
        <ReportFigure count={report.refused} name="refused" kind="bad" />
        <ReportFigure count={BigInt(chosen.leftOut)} name="left out, without a name" />
      </ul>
      {repeated !== undefined && <Findings found={repeated} chosen={chosen} rule={rule} />}
      {report.errors.some(hasNoId) && (
        <p class="note note-warn">Rows without an id: “New numbers” under Id gives all rows new ids.</p>
      )}
      {step === 'checked' && chosen.csv !== undefined && (
        <Corrections plan={chosen.csv.plan} report={report} rows={rows} tags={repeated?.tags} />
      )}
    </section>
  );
}

/** Only in CSV can an id be empty. */
function hasNoId({ error, message }: ImportReport['errors'][number]): boolean {
  return error === plantIdInvalid && message.includes('empty');
}

function toSentence({ read, refused }: ImportReport, isDryRun: boolean, step: ImportStep): string {
  if (read === 0n && step === 'checked') return 'The file has no rows';
  const isPart = isDryRun && step !== 'checked';
  const rows = toCount(read, 'row') + (isPart ? ' checked so far' : '');
  if (refused === 0n && isDryRun && !isPart) return read === 1n ? 'The row is valid' : `All ${rows} are valid`;
  const isDone = step === 'done';
  return (isDone ? 'Import complete: ' : '') + (refused === 0n ? rows : `${rows}, ${toGrouped(refused)} refused`);
}

interface FigureProps {
  readonly count: bigint;
  readonly name: string;
  readonly kind?: 'good' | 'bad';
}

function ReportFigure({ count, name, kind }: FigureProps) {
  if (count === 0n) return null;
  return (
    <li class={kind === undefined ? '' : `is-${kind}`}>
      <b>{toGrouped(count)}</b> {name}
    </li>
  );
}

interface FindingsProps {
  readonly found: RowFindings;
  readonly chosen: ChosenFile;
  readonly rule: ConflictRule;
}

/** What happens to a later row of an id. */
const later = { fail: 'is refused', skip: 'is skipped', replace: 'replaces the first' } as const;

/** What the service has nothing against, and the person perhaps has. */
function Findings({ found: { shown, count, isWhole, again, unnamed }, chosen, rule }: FindingsProps) {
  const toLines = (lines: readonly number[]): string =>
    `line${lines.length === 1 ? '' : 's'} ${lines.map((line) => toGrouped(line - chosen.addedLines)).join(', ')}`;
  return (
    <>
      {!isWhole && count === 0 && <p class="soft small">The file is too long to look for repeated ids.</p>}
      {count > 0 && (
        <p class="note note-warn">
          {toCount(count, 'id is', 'ids are')} in the file more than once:{' '}
          {[...shown].map(([id, lines]) => `${id} (${toLines(lines)})`).join(', ')}
          {count > shown.size && ' …'}. A later row that differs {later[rule]}.
          {again === undefined && ' The figures count each of their rows.'}
        </p>
      )}
      {unnamed.count > 0 && (
        <Correction
          text={`${toCount(unnamed.count, 'plant has', 'plants have')} no name: ${toLines(unnamed.lines)}${unnamed.count > unnamed.lines.length ? ' …' : ''}.`}
          yes="Leave out"
          onYes={chosen.csv && (() => void importer.setPlan({ skipsUnnamed: true }))}
        />
      )}
    </>
  );
}
