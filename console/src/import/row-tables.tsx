/** Rows of the file in tables that scroll by themselves: the first ones, those that differ from what is stored, and those that are refused. */
import type { ComponentChildren } from 'preact';
import { plantIdTaken } from '../../../src/client/client.ts';
import { Difference } from '../copy/change-text.tsx';
import { saveFile } from '../ui/save-file.ts';
import { Button } from '../ui/button.tsx';
import { toGrouped } from '../ui/numbers.ts';
import { PlantName, TagChip } from '../ui/plant-text.tsx';
import { countJoined, type ImportProps } from './import-state.ts';
import { toRowsFile } from './read-rows.ts';
import { toShopWords } from './shop-words.ts';

const shownMax = 200;
const shownLength = 240;

/** As they will be imported. */
export function FirstRows({ chosen: { preview = [], addedLines }, state }: ImportProps) {
  const { step, report, rows } = state;
  if (preview.length === 0) return null;
  return (
    <RowTable
      kind="preview"
      label="First rows"
      shown={preview.length}
      total={step === 'checked' ? (report?.read ?? 0n) + countJoined(state) : 0n}
      headings={['Line', 'Id', 'Name', 'Tag']}
    >
      {preview.map(({ line, id, name, tag }) => (
        <tr key={line} class={rows?.has(line) === true ? 'is-refused' : undefined}>
          <td>{line - addedLines}</td>
          <td>{id}</td>
          <td>
            <PlantName name={name} />
          </td>
          <td>
            <TagChip tag={tag} />
          </td>
        </tr>
      ))}
    </RowTable>
  );
}

/** What a plant is, and what it would become. Rows that are refused show it themselves. */
export function Differences({ chosen: { addedLines }, state: { step, rule, report, conflicts = [] } }: ImportProps) {
  if (step === 'failed' || rule === 'fail' || conflicts.length === 0) return null;
  return (
    <RowTable
      kind="conflicts"
      label="Differences"
      headings={['Line', 'Id', rule === 'replace' ? 'Will change' : 'Will not change']}
      shown={conflicts.length}
      total={(report?.replaced ?? 0n) + (report?.skipped ?? 0n)}
    >
      {conflicts.map((conflict) => (
        <tr key={conflict.line}>
          <td>{toGrouped(conflict.line - addedLines)}</td>
          <td>{String(conflict.plant.id)}</td>
          <td>
            <Difference change={conflict} />
          </td>
        </tr>
      ))}
    </RowTable>
  );
}

/** Each with its lines, the reason, what is in its place, and its text. All can be saved, to be fixed and imported. */
export function RefusedRows({ chosen, state: { report, rows, conflicts } }: ImportProps) {
  if (report === undefined || report.errors.length === 0 || rows === undefined) return null;
  const { source, format, addedLines } = chosen;
  const shown = report.errors.slice(0, shownMax);
  const reasons = new Map(report.errors.map(({ line, error, message }) => [Number(line), toShopWords(error, message)]));
  const save = async (): Promise<void> =>
    saveFile(await toRowsFile(source, format, rows, reasons), format === 'text/csv' ? 'refused.csv' : 'refused.ndjson');
  return (
    <>
      <div class="beside">
        <Button icon="export" onClick={() => void save()}>
          {report.refused > BigInt(rows.size)
            ? `Download the first ${toGrouped(rows.size)} refused rows`
            : 'Download refused rows'}
        </Button>
      </div>
      <RowTable
        kind="refused"
        label="Refused rows"
        shown={shown.length}
        total={report.refused}
        headings={['Line', 'Reason']}
      >
        {shown.map(({ line, error }) => {
          const first = Number(line);
          const { text = '', lastLine = first } = rows.get(first) ?? {};
          const conflict = error === plantIdTaken && conflicts?.find((each) => each.line === first);
          return (
            <tr key={first}>
              <td>
                {toGrouped(first - addedLines)}
                {lastLine > first && `–${toGrouped(lastLine - addedLines)}`}
              </td>
              <td>
                <p>
                  {reasons.get(first)} <small>({error})</small>
                </p>
                {conflict && (
                  <p>
                    {conflict.isStored ? 'Stored: ' : 'Earlier in the file: '}
                    <PlantName name={conflict.before.name} /> <TagChip tag={conflict.before.tag} />
                  </p>
                )}
                <code>{text.length > shownLength ? `${text.slice(0, shownLength)}…` : text}</code>
              </td>
            </tr>
          );
        })}
      </RowTable>
    </>
  );
}

interface TableProps {
  readonly kind: 'preview' | 'conflicts' | 'refused';
  readonly label: string;
  /** Rows that are shown, and those that there are. */
  readonly shown: number;
  readonly total: bigint;
  readonly headings: readonly string[];
  readonly children: ComponentChildren;
}

function RowTable({ kind, label, shown, total, headings, children }: TableProps) {
  return (
    <div class={`rows ${kind}`} tabIndex={0} role="region" aria-label={label}>
      <table>
        <caption>
          {label}
          {total > BigInt(shown) && `: ${shown} of ${toGrouped(total)}`}
        </caption>
        <thead>
          <tr>
            {headings.map((heading) => (
              <th key={heading} scope="col">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
