/** A field for a tag that suggests those in use (WAI-ARIA combobox with a list). Any other text is valid as well, except in a filter. */
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { TagCount } from '../../../src/client/client.ts';
import { toLink } from '../link.ts';
import { useValue } from '../observable.ts';
import { viewChange } from '../route.ts';
import { floating, showFloating } from '../ui/float.ts';
import { keyOf } from '../ui/keys.ts';
import { toGrouped } from '../ui/numbers.ts';
import { TagDot, toOneLine } from '../ui/plant-text.tsx';
import { currentSession } from '../session/session.ts';
import { foldTag, type Suggestions, suggestTags } from '../copy/tag-search.ts';
import { countOf, tally } from '../copy/tags.ts';

interface TagFieldProps {
  readonly id: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
  /** Called with a suggestion, or on Enter with the text itself; of a filter, with the first suggestion. */
  readonly onPick: (tag: string) => void;
  /** Makes it a filter, in which only tags in use can be picked: called for plants without a tag. */
  readonly onNone?: () => void;
  readonly placeholder?: string;
  readonly label?: string;
  readonly describedBy?: string;
  readonly readOnly?: boolean;
  readonly isInvalid?: boolean;
  /** Suggestions are above everything: where the field is, they would be cut. */
  readonly isFloating?: boolean;
}

const suggestionsMax = 8;

interface Option {
  /** Null: no tag. */
  readonly tag: string | null;
  readonly plants: bigint | number;
}

export function TagField(props: TagFieldProps) {
  const { id, value, onInput, onPick, onNone, placeholder, label, describedBy, readOnly, isInvalid, isFloating } =
    props;
  const isFilter = onNone !== undefined;
  const list = useRef<HTMLDivElement>(null);
  const listId = useId();
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const { tags, more, isSure } = useSuggestions(value, isOpen, isFilter);
  const untagged = isFilter && value === '' ? countOf(tally.value, { untagged: true }) : undefined;
  const found: readonly Option[] = untagged ? [{ tag: null, plants: untagged }, ...tags] : tags;
  const shown = isOpen && readOnly !== true ? found : [];
  const isUnknown = isFilter && isOpen && isSure && value !== '' && tags.length === 0;
  const isShown = shown.length > 0 || isUnknown;
  useLayoutEffect(() => {
    showFloating(list.current, isShown);
  }, [isShown]);

  const choose = (tag: string | null): void => {
    setOpen(false);
    setAt(-1);
    if (tag === null) onNone?.();
    else onPick(tag);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const key = keyOf(event);
    const count = shown.length;
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      if (!isOpen) setOpen(true);
      else if (count > 0) setAt((key === 'ArrowDown' ? at + 1 : at - 1 + (at < 0 ? 1 : 0) + count) % count);
      event.preventDefault();
    } else if (key === 'Escape' && count > 0) {
      setOpen(false);
      setAt(-1);
      event.stopPropagation();
    } else if (key === 'Enter') {
      const picked = shown[isFilter && value !== '' ? Math.max(0, at) : at];
      if (picked !== undefined) {
        event.preventDefault();
        choose(picked.tag);
      } else if (value !== '' && !isUnknown) {
        onPick(value);
        setOpen(false);
      }
    }
  };

  return (
    <div class="combo">
      <input
        id={id}
        class="input"
        type="text"
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        dir="auto"
        value={value}
        readOnly={readOnly === true}
        placeholder={placeholder}
        aria-label={label}
        aria-expanded={shown.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={shown[at] === undefined ? undefined : `${listId}-${at}`}
        aria-describedby={describedBy}
        aria-invalid={isInvalid === true}
        onFocus={() => setOpen(true)}
        onClick={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onInput={(event) => {
          setOpen(true);
          setAt(-1);
          onInput(event.currentTarget.value);
        }}
        onKeyDown={onKeyDown}
      />
      <div class="combo-list" ref={list} popover={isFloating === true ? floating : undefined} hidden={!isShown}>
        <ul id={listId} role="listbox" aria-label="Tags in use" hidden={shown.length === 0}>
          {shown.map(({ tag, plants }, index) => (
            <li
              key={tag}
              id={`${listId}-${index}`}
              role="option"
              aria-selected={index === at}
              // Keeps the focus in the field.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(tag)}
            >
              {tag !== null && <TagDot tag={tag} />}
              {tag === null ? <span class="cut no-text">no tag</span> : <bdi class="cut">{toOneLine(tag)}</bdi>}
              <span class="soft small">
                {toGrouped(plants)}
                <span class="for-readers"> {BigInt(plants) === 1n ? 'plant' : 'plants'}</span>
              </span>
            </li>
          ))}
        </ul>
        {shown.length > 0 && more > 0 && (
          <p class="combo-note">
            {toGrouped(shown.length)} of {toGrouped(shown.length + more)}: type a part of the tag, or see{' '}
            {/* Not in the order of Tab, which leaves the field and closes this. */}
            <a tabIndex={-1} onMouseDown={(event) => event.preventDefault()} {...toLink(viewChange('tags'))}>
              all tags
            </a>
          </p>
        )}
        <div role="status">{isUnknown && <p class="combo-note">No plant has such a tag</p>}</div>
      </div>
    </div>
  );
}

/** If there are too many tags to know all, the service is asked as well; until all are known, none is surely not in use. */
function useSuggestions(text: string, isOpen: boolean, isFilter: boolean): Suggestions & { readonly isSure: boolean } {
  const known = useValue(tally);
  const asked = useRef<{ text: string; found: readonly TagCount[] }>({ text: '', found: [] });
  const [, setAnswers] = useState(0);
  if (!isOpen || known === undefined) return { tags: [], more: 0, isSure: false };
  const current = currentSession();
  if (known.next !== undefined && text !== '' && asked.current.text !== text && current !== undefined) {
    asked.current = { text, found: [] };
    void current.client.tagsPage({ prefix: text, pageSize: suggestionsMax }).then(
      ({ items }) => {
        if (asked.current.text === text) asked.current = { text, found: items };
        setAnswers((count) => count + 1);
      },
      () => undefined,
    );
  }
  const found = asked.current.text === text ? asked.current.found : [];
  const extra = found.filter(({ tag }) => !known.tags.some((each) => each.tag === tag));
  const suggested = suggestTags(text, [...known.tags, ...extra], suggestionsMax);
  // What is typed in full needs no suggestion, and a note offers what is nearly the same; a filter picks it.
  const [first, second] = suggested.tags;
  const isTyped = !isFilter && first !== undefined && second === undefined && foldTag(first.tag) === foldTag(text);
  return { ...suggested, ...(isTyped ? { tags: [] } : {}), isSure: known.next === undefined };
}
