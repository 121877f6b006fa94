/** All tags in use: a filter, those that are nearly the same, and what can be done with each. */
import { tagLink } from '../link.ts';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Page, TagCount } from '../../../src/client/client.ts';
import { useValue } from '../observable.ts';
import { foldTag, listTags } from '../copy/tag-search.ts';
import { countOf, tally } from '../copy/tags.ts';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { FilterField } from '../ui/filter-field.tsx';
import { Notice } from '../session/notice.tsx';
import { View } from '../ui/view.tsx';
import { toCount, toGrouped } from '../ui/numbers.ts';
import { showFailure } from '../session/show-failure.ts';
import { TagRow } from './tag-row.tsx';

/** Rows that are shown at first, and more with each click. */
const rowsStep = 200;

export function TagsView() {
  const { tags, untagged, readOn } = useTags();
  const target = useRef<string | undefined>(undefined);
  const [text, setText] = useState('');
  const [rowsMax, setRowsMax] = useState(rowsStep);
  const listed = useMemo(() => listTags(tags ?? []), [tags]);
  const wanted = foldTag(text);
  const found = listed.filter(({ folded }) => folded.includes(wanted));
  const all = `${toGrouped(listed.length)}${readOn === undefined ? '' : '+'} ${listed.length === 1 ? 'tag' : 'tags'}`;
  const hasMore = found.length > rowsMax;
  return (
    <View
      name="tags"
      head={
        <>
          <p class="soft" role="status">
            {tags === undefined ? 'Loading…' : wanted === '' ? all : `${toGrouped(found.length)} of ${all}`}
            {Boolean(untagged) && wanted === '' && (
              <>
                , <a {...tagLink(null)}>{toCount(untagged ?? 0, 'plant')} without one</a>
              </>
            )}
          </p>
          <FilterField label="Only tags that contain this" value={text} onInput={setText} />
        </>
      }
    >
      {tags?.length === 0 ? (
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
            {(hasMore || readOn !== undefined) && (
              <Button onClick={() => (hasMore ? setRowsMax(rowsMax + rowsStep) : readOn?.())}>Show more</Button>
            )}
          </div>
        </div>
      )}
    </View>
  );
}

interface Tags {
  readonly tags: readonly TagCount[] | undefined;
  /** Number of plants without a tag, if all tags are known. */
  readonly untagged: number | undefined;
  /** Reads more tags than the page knows; undefined if there are none. */
  readonly readOn: (() => void) | undefined;
}

function useTags(): Tags {
  const { client } = useSession();
  const known = useValue(tally);
  const [rest, setRest] = useState<Page<TagCount> | undefined>(undefined);
  useEffect(() => setRest(undefined), [known]);
  const tags = useMemo(() => known && [...known.tags, ...(rest?.items ?? [])], [known, rest]);
  const next = rest === undefined ? known?.next : rest.next;
  const readOn = async (address: string): Promise<void> => {
    try {
      const page = await client.tagsPage(address);
      setRest({ ...page, items: [...(rest?.items ?? []), ...page.items] });
    } catch (error) {
      showFailure(error, 'Could not read more tags.');
    }
  };
  return {
    tags,
    untagged: countOf(known, { untagged: true }),
    readOn: next === undefined ? undefined : () => void readOn(next),
  };
}
