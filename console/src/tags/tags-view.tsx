/** All tags in use: a filter, those that are nearly the same, and what can be done with each. */
import { tagLink } from '../route.ts';
import { useMemo, useRef, useState } from 'preact/hooks';
import { useValue } from '../observable.ts';
import { foldTag, listTags } from '../copy/tag-search.ts';
import { countOf, tally } from '../copy/tags.ts';
import { toSentence } from '../ui/filter-text.ts';
import { Button } from '../ui/button.tsx';
import { FilterField } from '../ui/filter-field.tsx';
import { Notice } from '../session/notice.tsx';
import { View } from '../ui/view.tsx';
import { toCount, toGrouped } from '../ui/numbers.ts';
import { TagRow } from './tag-row.tsx';

const rowsStep = 200;

export function TagsView() {
  const known = useValue(tally);
  const untagged = countOf(known, { untagged: true }) ?? 0;
  const target = useRef<string | undefined>(undefined);
  const [text, setText] = useState('');
  const [rowsMax, setRowsMax] = useState(rowsStep);
  const listed = useMemo(() => listTags(known?.tags ?? []), [known]);
  const wanted = foldTag(text);
  const found = listed.filter(({ folded }) => folded.includes(wanted));
  const all = `${known?.isWhole === false ? 'the first ' : ''}${toCount(listed.length, 'tag')}`;
  return (
    <View
      name="tags"
      head={
        <>
          <p class="soft" role="status">
            {known === undefined
              ? 'Loading…'
              : wanted === ''
                ? toSentence(all)
                : `${toGrouped(found.length)} of ${all}`}
            {untagged > 0 && wanted === '' && (
              <>
                , <a {...tagLink(null)}>{toCount(untagged, 'plant')} without one</a>
              </>
            )}
          </p>
          <FilterField label="Only tags that contain this" value={text} onInput={setText} />
        </>
      }
    >
      {known?.tags.length === 0 ? (
        <Notice icon="tags" title="No tags yet">
          <p>A tag groups plants, such as climber or sale. Enter one in the form of a plant, and it appears here.</p>
        </Notice>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label="All tags">
          <div class="tags">
            {found[0]?.variant !== undefined && (
              <p class="note note-warn">The marked tags differ only in capitals, accents or spaces.</p>
            )}
            <ul>
              {found.slice(0, rowsMax).map((each) => (
                <TagRow key={each.tag} tag={each} target={target} />
              ))}
            </ul>
            {found.length > rowsMax && <Button onClick={() => setRowsMax(rowsMax + rowsStep)}>Show more</Button>}
          </div>
        </div>
      )}
    </View>
  );
}
