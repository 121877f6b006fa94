/** What to look at before an import: ids that are there twice, or not at all, and what can be corrected in the rows if the person wants it. */
import type { TagCount } from '../../../src/client/client.ts';
import { plantIdInvalid } from '../../../src/domain/error-numbers.ts';
import { findSimilarTag } from '../copy/tag-search.ts';
import { tally } from '../copy/tags.ts';
import { useValue } from '../observable.ts';
import { Button } from '../ui/button.tsx';
import { toCount, toGrouped } from '../ui/numbers.ts';
import { toQuoted } from '../ui/plant-text.tsx';
import type { CsvPlan } from './csv-plan.ts';
import type { ImportProps } from './import-state.ts';
import { importer } from './use-import.ts';

/** Tags and ids that are named, and lines of each. */
const namedMax = 5;
/** What happens to a later row of an id. */
const later = { fail: 'is refused', skip: 'is skipped', replace: 'replaces the first' } as const;

export function Findings({ chosen: { csv, addedLines }, state: { report, repeated, findings, rule } }: ImportProps) {
  const known = useValue(tally)?.tags ?? [];
  if (repeated === undefined || findings === undefined) return null;
  const { ids, isWhole, again } = repeated;
  const count = ids.size;
  const { unnamed, tags } = findings;
  const ofIds = (reason: string) =>
    report?.errors.filter(({ error, message }) => error === plantIdInvalid && message.includes(reason)) ?? [];
  const zeros = ofIds('zeros');
  const similar = csv === undefined ? new Map<string, string>() : toSimilar(tags, known);
  const pairs = [...similar].slice(0, namedMax).map(([from, to]) => `${toQuoted(from)} as ${toQuoted(to)}`);
  const toLines = (lines: readonly number[]): string =>
    `line${lines.length === 1 ? '' : 's'} ${lines.map((line) => toGrouped(line - addedLines)).join(', ')}`;
  const note = (isNeeded: boolean, text: string, yes?: string, change?: Partial<CsvPlan>) =>
    isNeeded && (
      <div class="note note-warn similar">
        <span>{text}</span>
        {csv !== undefined && change !== undefined && (
          <Button kind="quiet" onClick={() => void importer.setPlan(change)}>
            {yes}
          </Button>
        )}
      </div>
    );
  return (
    <>
      {!isWhole && <p class="soft small">The file is too long to look for repeated ids.</p>}
      {note(
        count > 0,
        `${toCount(count, 'id is', 'ids are')} in the file more than once: ` +
          [...ids]
            .slice(0, namedMax)
            .map(([id, places]) => `${id} (${toLines(places.slice(0, namedMax).map(({ line }) => line))})`)
            .join(', ') +
          `${count > namedMax ? ' …' : ''}. A later row that differs ${later[rule]}.` +
          (again === undefined ? ' The figures count each of their rows.' : ''),
      )}
      {note(
        unnamed.count > 0,
        `${toCount(unnamed.count, 'plant has', 'plants have')} no name: ${toLines(unnamed.lines)}${unnamed.count > unnamed.lines.length ? ' …' : ''}.`,
        'Leave out',
        { skipsUnnamed: true },
      )}
      {note(ofIds('empty').length > 0, 'Rows without an id: “New numbers” under Id gives all rows new ids.')}
      {note(zeros.length > 0, `${toCount(zeros.length, 'id begins', 'ids begin')} with a zero.`, 'Read without zeros', {
        readsZeros: true,
      })}
      {note(
        similar.size > 0,
        `${toCount(similar.size, 'tag is', 'tags are')} nearly like another. Write ${pairs.join(', ')}${similar.size > namedMax ? ', …' : ''}?`,
        'Write them alike',
        { tags: new Map([...(csv?.plan.tags ?? []), ...similar]) },
      )}
    </>
  );
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
