/** What to look at before an import: ids that are there twice, or not at all, and what can be corrected in the rows if the person wants it. */
import type { TagCount } from '../../../src/client/client.ts';
import { findSimilarTag } from '../copy/tag-search.ts';
import { tally } from '../copy/tags.ts';
import { useValue } from '../observable.ts';
import { Button } from '../ui/button.tsx';
import { toCount, toGrouped } from '../ui/numbers.ts';
import { toQuoted } from '../ui/plant-text.tsx';
import { type CsvPlan, repairId } from './csv-plan.ts';
import type { FoundRows, RowFindings } from './examine-rows.ts';
import {
  type ChosenFile,
  type ConflictRule,
  type CsvFile,
  findUnread,
  type ImportProps,
  type ImportState,
} from './import-state.ts';
import { importer } from './use-import.ts';

/** Tags and ids that are named, and lines of each. */
const namedMax = 5;
const later = { fail: 'is refused', skip: 'is skipped', replace: 'replaces the first' } as const;

type Note = readonly [text: string, button?: string, change?: Partial<CsvPlan>];

/** One box, the worst first. */
export function Findings({ chosen, state }: ImportProps) {
  const known = useValue(tally)?.tags ?? [];
  const { repeated, findings } = state;
  const notes = [
    ...findUnread(state).map(([first, last]): Note => {
      const at = toLines([first, last], chosen.addedLines).replace(', ', ' to ');
      return [
        `A quote in ${at} has no end: these rows are refused. Add the missing quote, or remove it, save the file and choose it again.`,
      ];
    }),
    ...(findings === undefined ? [] : toRowNotes(chosen, findings)),
    ...(repeated === undefined ? [] : toRepeatedNotes(chosen, repeated, state.rule)),
    ...(findings === undefined || chosen.csv === undefined ? [] : toTagNotes(chosen.csv.plan, findings, known)),
    ...(chosen.csv === undefined ? [] : toPlanNotes(chosen.csv)),
  ];
  if (notes.length === 0 || !state.isDryRun) return null;
  return (
    <ul class="note note-warn import-notes">
      {notes.map(([text, button, change]) => (
        <li key={text}>
          <span>{text}</span>
          {chosen.csv !== undefined && change !== undefined && (
            <Button kind="quiet" onClick={() => void importer.setPlan(change)}>
              {button}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

function toLines(lines: readonly number[], addedLines: number, count = lines.length): string {
  const shown = lines.slice(0, namedMax).map((line) => toGrouped(line - addedLines));
  return `line${lines.length === 1 ? '' : 's'} ${shown.join(', ')}${count > shown.length ? ' and others' : ''}`;
}

function toRowNotes(
  { addedLines }: ChosenFile,
  { rounded, repairable, withoutId, numbers, unnamed }: RowFindings,
): readonly Note[] {
  const at = ({ lines, count }: FoundRows): string => toLines(lines, addedLines, count);
  const readings = repairable.examples.map((id) => `${id} as ${repairId(id)}`);
  const notes: readonly (readonly [FoundRows, ...Note])[] = [
    [
      rounded,
      `${toCount(rounded.count, 'id is', 'ids are')} cut short, as ${rounded.examples[0]}: ${at(rounded)}. Format the column of ids as a number without decimals in the spreadsheet, save the file and choose it again.`,
    ],
    [
      repairable,
      `${toCount(repairable.count, 'id is', 'ids are')} not in plain digits: ${at(repairable)}. Read ${readings.join(', ')}${repairable.count > readings.length ? ', …' : ''}?`,
      'Read like this',
      { repairsIds: true },
    ],
    [withoutId, `Rows without an id: ${at(withoutId)}. “New numbers” under Id gives all rows new ids.`],
    [
      numbers,
      `${toCount(numbers.count, 'name is a number', 'names are numbers')}: ${at(numbers)}. Is Name the right column?`,
    ],
    [
      unnamed,
      `${toCount(unnamed.count, 'plant has', 'plants have')} no name: ${at(unnamed)}.`,
      'Leave out',
      { skipsUnnamed: true },
    ],
  ];
  return notes.filter(([{ count }]) => count > 0).map(([, ...note]) => note);
}

function toRepeatedNotes(
  { addedLines }: ChosenFile,
  { ids, isWhole, again }: NonNullable<ImportState['repeated']>,
  rule: ConflictRule,
): readonly Note[] {
  if (ids.size === 0) return isWhole ? [] : [['The file is too long to look for repeated ids.']];
  const texts = [...ids].slice(0, namedMax).map(([id, places]) => {
    const lines = places.map(({ line }) => line);
    return `${id} (${toLines(lines, addedLines)})`;
  });
  return [
    [
      `${toCount(ids.size, 'id is', 'ids are')} in the file more than once: ${texts.join(', ')}${ids.size > namedMax ? ' …' : ''}. ` +
        `A later row that differs ${later[rule]}.${again === undefined ? ' The figures count each of their rows.' : ''}`,
    ],
  ];
}

function toTagNotes({ tags: before }: CsvPlan, { tags }: RowFindings, known: readonly TagCount[]): readonly Note[] {
  const similar = toSimilar(tags, known);
  const pairs = [...similar].slice(0, namedMax).map(([from, to]) => `${toQuoted(from)} as ${toQuoted(to)}`);
  if (similar.size === 0) return [];
  return [
    [
      `${toCount(similar.size, 'tag is', 'tags are')} nearly like another. Write ${pairs.join(', ')}${similar.size > namedMax ? ', …' : ''}?`,
      'Write them alike',
      { tags: new Map([...(before ?? []), ...similar]) },
    ],
  ];
}

/** What is not imported, or changed, with the way back. */
function toPlanNotes({ plan: { start, end, repairsIds, skipsUnnamed, tags }, sum = [] }: CsvFile): readonly Note[] {
  const sumText = toQuoted(sum.filter((cell) => cell.trim() !== '').join(' '));
  const from = toGrouped(end ?? 0);
  const notes: readonly (readonly [unknown, ...Note])[] = [
    [start, `The rows above line ${start} are left out.`],
    [end, `From line ${from} on there is a sum, which is left out: ${sumText}.`, 'Import it', { end: undefined }],
    [repairsIds, 'Ids as 1.234.567 are read as 1234567.', 'Read as written', { repairsIds: false }],
    [skipsUnnamed, 'Rows without a name are left out.', 'Import them', { skipsUnnamed: false }],
    [tags, 'Tags that are nearly alike are written alike.', 'Keep as written', { tags: undefined }],
  ];
  return notes.filter(([isSo]) => Boolean(isSo)).map(([, ...note]) => note);
}

/** Tags of the file, and those that are better: in use already, or in more rows. */
function toSimilar(tags: ReadonlyMap<string, number>, known: readonly TagCount[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const own = [...tags].map(([tag, rows]) => ({ tag, plants: BigInt(rows) }));
  for (const [at, { tag, plants }] of own.entries()) {
    if (known.some((each) => each.tag === tag)) continue;
    const others = own.filter((each, other) => each.plants > plants || (each.plants === plants && other < at));
    const better = findSimilarTag(tag, known) ?? findSimilarTag(tag, others);
    if (better !== undefined) found.set(tag, better.tag);
  }
  return found;
}
