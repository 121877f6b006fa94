/** What became of the rows, or what would: figures, and each refused row with its line, its reason and its text. */
import type { ImportReport } from '../../../src/client/client.ts';
import { toCount, toGrouped } from '../ui/numbers.ts';
import { type Importer, shownErrorsMax } from './use-import.ts';

export function ReportTable({ importer: { step, report, lines } }: { readonly importer: Importer }) {
  if (report === undefined) return null;
  const isPlan = step === 'checking' || step === 'checked';
  return (
    <section class="report" aria-labelledby="report-title">
      <div role="status">
        <h2 id="report-title">{toSentence(report, isPlan)}</h2>
      </div>
      <ul class="report-figures">
        <ReportFigure count={report.created} name="new" kind="good" />
        <ReportFigure count={report.replaced} name={isPlan ? 'to replace' : 'replaced'} kind="good" />
        <ReportFigure count={report.unchanged} name="stored already" />
        <ReportFigure count={report.skipped} name={isPlan ? 'to skip' : 'skipped'} />
        <ReportFigure count={report.refused} name="refused" kind="bad" />
      </ul>
      {report.errors.length > 0 && lines !== undefined && <Refused report={report} lines={lines} />}
    </section>
  );
}

function toSentence({ read, refused }: ImportReport, isPlan: boolean): string {
  const rows = toCount(read, 'row');
  if (refused === 0n) return isPlan ? `${rows}, all in order` : `${rows} done`;
  return `${rows}, ${toGrouped(refused)} of them refused`;
}

interface FigureProps {
  readonly count: bigint;
  readonly name: string;
  readonly kind?: 'good' | 'bad';
}

function ReportFigure({ count, name, kind }: FigureProps) {
  return (
    <li class={count === 0n ? 'is-zero' : kind === undefined ? '' : `is-${kind}`}>
      <b>{toGrouped(count)}</b> {name}
    </li>
  );
}

function Refused({ report, lines }: { readonly report: ImportReport; readonly lines: ReadonlyMap<number, string> }) {
  const shown = report.errors.slice(0, shownErrorsMax);
  return (
    <>
      <div class="refused" tabIndex={0} role="region" aria-label="Refused rows">
        <table>
          <thead>
            <tr>
              <th scope="col" class="refused-line">
                Line
              </th>
              <th scope="col">Why</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ line, error, message }) => (
              <tr key={String(line)}>
                <td class="refused-line">{toGrouped(line)}</td>
                <td>
                  <p>
                    {message} <small>({error})</small>
                  </p>
                  <code>{lines.get(Number(line))}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {report.refused > BigInt(shown.length) && <p class="refused-more">The first {shown.length} are shown.</p>}
    </>
  );
}
