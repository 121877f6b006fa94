/** What a tag field suggests, and the list of it. The keys are those of the field. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { foldTag, suggestTags } from '../copy/tag-search.ts';
import { countOf, type Tally } from '../copy/tags.ts';
import { toLink, viewChange } from '../route.ts';
import { floating, showFloating } from '../ui/float.ts';
import { toGrouped } from '../ui/numbers.ts';
import { CountedTag } from '../ui/plant-text.tsx';

const optionsMax = 50;

export interface Suggestions {
  readonly options: readonly {
    /** Null: no tag. */
    readonly tag: string | null;
    readonly plants: bigint | number;
  }[];
  /** There are more: how many of how many are shown. */
  readonly more?: string | false;
  /** Only these can be picked: beyond the tags that are known there may be any. */
  readonly isClosed?: boolean;
}

/** @param isFilter suggests plants without a tag, too. */
export function toSuggestions(text: string, known: Tally | undefined, isFilter: boolean): Suggestions {
  const found = suggestTags(text, known?.tags ?? []);
  const isWhole = known?.isWhole === true;
  // What is typed in full needs no suggestion, and a note offers what is nearly the same; a filter picks it.
  const isTyped = !isFilter && found.length === 1 && foldTag(found[0]?.tag ?? '') === foldTag(text);
  const tags = isTyped ? [] : found.slice(0, optionsMax);
  const untagged = (isFilter ? countOf(known, { untagged: true }) : 0) ?? 0;
  const noTag = untagged > 0 && foldTag('no tag').startsWith(foldTag(text)) ? [{ tag: null, plants: untagged }] : [];
  return {
    options: text === '' ? [...noTag, ...tags] : [...tags, ...noTag],
    more: found.length > optionsMax && (isWhole ? `${optionsMax} of ${toGrouped(found.length)}` : 'There are more'),
    isClosed: isFilter && text !== '' && isWhole,
  };
}

interface ListProps extends Suggestions {
  readonly id: string;
  readonly at: number;
  /** The list is above everything: where the field is, it would be cut. */
  readonly isFloating: boolean;
  readonly onChoose: (tag: string | null) => void;
}

export function SuggestionList({ id, options, more, isClosed = false, at, isFloating, onChoose }: ListProps) {
  const list = useRef<HTMLDivElement>(null);
  const isEmpty = options.length === 0;
  const isShown = !isEmpty || isClosed;
  useLayoutEffect(() => showFloating(list.current, isShown), [isShown]);
  useLayoutEffect(
    () => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }),
    [at],
  );
  return (
    <div
      class="combo-list"
      ref={list}
      // The field keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      popover={isFloating ? floating : undefined}
      hidden={!isShown}
    >
      {/* No tab stop, although it scrolls. */}
      <ul id={id} role="listbox" aria-label="Tags in use" tabIndex={-1} hidden={isEmpty}>
        {options.map(({ tag, plants }, index) => (
          <li key={tag} id={`${id}-${index}`} role="option" aria-selected={index === at} onClick={() => onChoose(tag)}>
            <CountedTag tag={tag} plants={plants} />
          </li>
        ))}
      </ul>
      {more && (
        <p class="combo-note">
          {more}: type a part of the tag, or see{' '}
          {/* Not in the order of Tab, which leaves the field and closes this. */}
          <a tabIndex={-1} {...toLink(viewChange('tags'))}>
            all tags
          </a>
        </p>
      )}
      <div role="status">{isClosed && isEmpty && <p class="combo-note">No plant has such a tag</p>}</div>
    </div>
  );
}
