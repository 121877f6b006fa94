/** Each refused row with its lines, the reason, what is in its place, and its text. */
import { plantIdTaken } from '../../../src/domain/error-numbers.ts';
import { saveFile } from '../many/export-plants.ts';
import { Button } from '../ui/button.tsx';
import { toGrouped } from '../ui/numbers.ts';
import { PlantName, TagChip } from '../ui/plant-text.tsx';
import type { ChosenFile, ImportProps } from './import-state.ts';
import { type FileRow, toRowsFile } from './read-rows.ts';
import { RowTable } from './row-table.tsx';
import { toShopWords } from './shop-words.ts';

/** Refused rows that are shown. */
const shownMax = 200;
/** Characters of a row that are shown. */
const shownLength = 240;

export function RefusedRows({ chosen, state: { report, rows, conflicts } }: ImportProps) {
  if (report === undefined || report.errors.length === 0 || rows === undefined) return null;
  const shown = report.errors.slice(0, shownMax);
  return (
    <>
      <div class="beside">
        <Button icon="export" onClick={() => void saveRows(chosen, rows)}>
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
        {shown.map(({ line, error, message }) => {
          const row = rows.get(Number(line));
          const conflict = error === plantIdTaken && conflicts?.find((each) => each.line === Number(line));
          const isLong = row !== undefined && row.lastLine > Number(line);
          const added = BigInt(chosen.addedLines);
          return (
            <tr key={String(line)}>
              <td>
                {isLong
                  ? `${toGrouped(line - added)}–${toGrouped(row.lastLine - chosen.addedLines)}`
                  : toGrouped(line - added)}
              </td>
              <td>
                <p>
                  {toShopWords(error, message)} <small>({error})</small>
                </p>
                {conflict && (
                  <p>
                    {conflict.isStored ? 'Stored: ' : 'Earlier in the file: '}
                    <PlantName name={conflict.before.name} /> <TagChip tag={conflict.before.tag} />
                  </p>
                )}
                <code>{row?.text.slice(0, shownLength)}</code>
              </td>
            </tr>
          );
        })}
      </RowTable>
    </>
  );
}

/** The rows as they are in the file, so that they can be fixed and imported. */
async function saveRows({ source, format }: ChosenFile, rows: ReadonlyMap<number, FileRow>): Promise<void> {
  saveFile(await toRowsFile(source, format, rows), format === 'text/csv' ? 'refused.csv' : 'refused.ndjson');
}
