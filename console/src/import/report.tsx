/** What an import did or would do: counts, and what to look at before. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ImportReport } from '../../../src/client/client.ts';
import { Drawing } from '../ui/icons.tsx';
import { toCount, toGrouped } from '../ui/numbers.ts';
import { Findings } from './findings.tsx';
import { countJoined, type ImportProps, type ImportState, runningSteps } from './import-state.ts';

export function Report({ chosen, state }: ImportProps) {
  const { step, report, isDryRun } = state;
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
      {toSentence(state, report)}
    </h2>
  );
  const figure = (count: bigint, name: string, kind = '') =>
    count > 0n && (
      <li class={kind}>
        <b>{toGrouped(count)}</b> {name}
      </li>
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
        {figure(report.created, isDryRun ? 'new' : 'added', 'is-good')}
        {figure(report.replaced, isDryRun ? 'to change' : 'changed', 'is-good')}
        {figure(report.unchanged, 'already there')}
        {figure(report.skipped, isDryRun ? 'to skip' : 'skipped')}
        {figure(report.refused + countJoined(state), 'refused', 'is-bad')}
        {figure(BigInt(chosen.leftOut), 'left out, without a name')}
      </ul>
      <Findings chosen={chosen} state={state} />
    </section>
  );
}

function toSentence(state: ImportState, { read, refused }: ImportReport): string {
  const { isDryRun, step } = state;
  const joined = countJoined(state);
  if (read === 0n && step === 'checked') return 'The file has no rows';
  const isPart = isDryRun && step !== 'checked';
  const rows = toCount(read + joined, 'row') + (isPart ? ' checked so far' : '');
  if (refused === 0n && isDryRun && !isPart) return read === 1n ? 'The row is valid' : `All ${rows} are valid`;
  return (
    (step === 'done' ? 'Import complete: ' : '') +
    rows +
    (refused > 0n ? `, ${toGrouped(refused + joined)} refused` : '')
  );
}
