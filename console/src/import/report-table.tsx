/** What an import did or would do: counts, and each refused row with its lines, the reason and its text. */
import type { ImportReport } from '../../../src/client/client.ts';
import { plantIdInvalid } from '../../../src/domain/error-numbers.ts';
import { saveFile } from '../many/export-plants.ts';
import { Button } from '../ui/button.tsx';
import { Drawing } from '../ui/icons.tsx';
import { toCount, toGrouped } from '../ui/numbers.ts';
import { Corrections } from './corrections.tsx';
import { type FileRow, toRowsFile } from './read-rows.ts';
import { toShopWords } from './shop-words.ts';
import type { RowFindings } from './examine-rows.ts';
import { type ChosenFile, type ConflictRule, type ImportState, type ImportStep, runningSteps } from './import-state.ts';

/** Refused rows that are shown. */
const shownMax = 200;
/** Characters of a row that are shown. */
const shownLength = 240;

interface ReportProps {
  readonly chosen: ChosenFile;
  readonly state: ImportState;
}

export function ReportTable({ chosen, state: { step, report, rows, repeated, isDryRun, rule } }: ReportProps) {
  // A check that failed says nothing about the rest; an import that failed has stored these rows.
  if (report === undefined || (step === 'failed' && isDryRun)) return null;
  const title = <h2 id="report-title">{toSentence(report, isDryRun, step)}</h2>;
  const isRunning = runningSteps.includes(step);
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
        <ReportFigure count={repeated?.rows ?? 0n} name="again in the file" />
        <ReportFigure count={report.refused} name="refused" kind="bad" />
      </ul>
      {repeated !== undefined && <Findings found={repeated} addedLines={chosen.addedLines} rule={rule} />}
      {report.errors.some(hasNoId) && (
        <p class="note note-warn">Rows without an id: “New numbers” under Id gives all rows new ids.</p>
      )}
      {step === 'checked' && chosen.csv !== undefined && (
        <Corrections plan={chosen.csv.plan} report={report} rows={rows} tags={repeated?.tags} />
      )}
      {report.errors.length > 0 && rows !== undefined && <Refused chosen={chosen} report={report} rows={rows} />}
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
  readonly addedLines: number;
  readonly rule: ConflictRule;
}

/** What happens to a later row of an id. */
const later = { fail: 'is refused', skip: 'is skipped', replace: 'replaces the first' } as const;

/** What the service has nothing against, and the person perhaps has. */
function Findings({ found: { shown, count, isWhole, rows, unnamed }, addedLines, rule }: FindingsProps) {
  const toLines = (lines: readonly number[]): string =>
    `line${lines.length === 1 ? '' : 's'} ${lines.map((line) => toGrouped(line - addedLines)).join(', ')}`;
  return (
    <>
      {!isWhole && count === 0 && <p class="soft small">The file is too long to look for repeated ids.</p>}
      {count > 0 && (
        <p class="note note-warn">
          {toCount(count, 'id is', 'ids are')} in the file more than once:{' '}
          {[...shown].map(([id, lines]) => `${id} (${toLines(lines)})`).join(', ')}
          {count > shown.size && ' …'}. A later row that differs {later[rule]}.
          {rows === undefined && ' The figures count each of their rows.'}
        </p>
      )}
      {unnamed.count > 0 && (
        <p class="note note-warn">
          {toCount(unnamed.count, 'plant has', 'plants have')} no name: {toLines(unnamed.lines)}
          {unnamed.count > unnamed.lines.length && ' …'}.
        </p>
      )}
    </>
  );
}

interface RefusedProps {
  readonly chosen: ChosenFile;
  readonly report: ImportReport;
  readonly rows: ReadonlyMap<number, FileRow>;
}

function Refused({ chosen, report, rows }: RefusedProps) {
  const shown = report.errors.slice(0, shownMax);
  return (
    <>
      <div class="refused-head">
        <p>{report.refused > BigInt(shown.length) ? `The first ${shown.length} refused rows:` : 'Refused rows:'}</p>
        <Button icon="export" onClick={() => void saveRows(chosen, rows)}>
          {report.refused > BigInt(rows.size)
            ? `Download the first ${toGrouped(rows.size)} refused rows`
            : 'Download refused rows'}
        </Button>
      </div>
      <div class="rows refused" tabIndex={0} role="region" aria-label="Refused rows">
        <table>
          <thead>
            <tr>
              <th scope="col" class="refused-line">
                Line
              </th>
              <th scope="col">Reason</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ line, error, message }) => {
              const row = rows.get(Number(line));
              const isLong = row !== undefined && row.lastLine > Number(line);
              const added = BigInt(chosen.addedLines);
              return (
                <tr key={String(line)}>
                  <td class="refused-line">
                    {isLong
                      ? `${toGrouped(line - added)}–${toGrouped(row.lastLine - chosen.addedLines)}`
                      : toGrouped(line - added)}
                  </td>
                  <td>
                    <p>
                      {toShopWords(error, message)} <small>({error})</small>
                    </p>
                    <code>{row?.text.slice(0, shownLength)}</code>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** The rows as they are in the file, so that they can be fixed and imported. */
async function saveRows({ source, format }: ChosenFile, rows: ReadonlyMap<number, FileRow>): Promise<void> {
  saveFile(await toRowsFile(source, format, rows), format === 'text/csv' ? 'refused.csv' : 'refused.ndjson');
}
