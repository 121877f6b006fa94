/** What the console can correct in a file if the person wants it: zeros before ids, and tags that nearly are tags in use. */
import type { ImportReport, TagCount } from '../../../src/client/client.ts';
import { plantIdInvalid } from '../../../src/domain/error-numbers.ts';
import { useValue } from '../observable.ts';
import { findSimilarTag } from '../copy/tag-search.ts';
import { tally } from '../copy/tags.ts';
import { Button } from '../ui/button.tsx';
import { toCount } from '../ui/numbers.ts';
import { toQuoted } from '../ui/plant-text.tsx';
import type { CsvPlan } from './csv-plan.ts';
import type { ImportState } from './import-state.ts';
import { importer } from './use-import.ts';

/** Tags that are named. */
const namedMax = 5;

interface CorrectionsProps {
  readonly plan: CsvPlan;
  readonly report: ImportReport;
  readonly rows: ImportState['rows'];
  readonly tags: ReadonlyMap<string, number> | undefined;
}

export function Corrections({ plan, report, rows, tags = new Map() }: CorrectionsProps) {
  const known = useValue(tally)?.tags ?? [];
  const zeros = report.errors.filter(({ error, message }) => error === plantIdInvalid && message.includes('zeros'));
  const [, example = '0'] = /(?<!\d)(0\d+)/.exec(rows?.get(Number(zeros[0]?.line))?.text ?? '') ?? [];
  const similar = toSimilar(tags, known);
  const pairs = [...similar].slice(0, namedMax).map(([from, to]) => `${toQuoted(from)} as ${toQuoted(to)}`);
  return (
    <>
      {zeros.length > 0 && (
        <Correction
          text={`${toCount(zeros.length, 'id begins', 'ids begin')} with a zero. Read ${example} as ${BigInt(example)}?`}
          yes="Read without zeros"
          onYes={() => void importer.setPlan({ readsZeros: true })}
        />
      )}
      {similar.size > 0 && (
        <Correction
          text={`${toCount(similar.size, 'tag is', 'tags are')} nearly like another. Write ${pairs.join(', ')}${similar.size > namedMax ? ', …' : ''}?`}
          yes="Write them alike"
          onYes={() => void importer.setPlan({ tags: new Map([...(plan.tags ?? []), ...similar]) })}
        />
      )}
    </>
  );
}

interface CorrectionProps {
  readonly text: string;
  readonly yes: string;
  /** Absent: it can only be said. */
  readonly onYes?: (() => void) | undefined;
}

export function Correction({ text, yes, onYes }: CorrectionProps) {
  return (
    <div class="note note-warn similar">
      <span>{text}</span>
      {onYes !== undefined && (
        <Button kind="quiet" onClick={onYes}>
          {yes}
        </Button>
      )}
    </div>
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
