/** A field for a tag that suggests those in use (WAI-ARIA combobox with a list). Any other text is valid as well, except in a filter. */
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useValue } from '../observable.ts';
import { toLink, viewChange } from '../route.ts';
import { floating, showFloating } from '../ui/float.ts';
import { keyOf } from '../ui/keys.ts';
import { toGrouped } from '../ui/numbers.ts';
import { CountedTag } from '../ui/plant-text.tsx';
import { foldTag, suggestTags } from '../copy/tag-search.ts';
import { countOf, tally } from '../copy/tags.ts';

interface TagFieldProps {
  readonly id: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
  /** Called with a suggestion, or on Enter with the text itself; of a filter that knows all tags, with the first suggestion. */
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

const suggestionsMax = 50;

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
  const known = useValue(tally);
  const found = isOpen && readOnly !== true ? suggestTags(value, known?.tags ?? []) : [];
  // What is typed in full needs no suggestion, and a note offers what is nearly the same; a filter picks it.
  const isTyped = !isFilter && found.length === 1 && foldTag(found[0]?.tag ?? '') === foldTag(value);
  const tags = isTyped ? [] : found.slice(0, suggestionsMax);
  const untagged = (isFilter && isOpen ? countOf(known, { untagged: true }) : undefined) ?? 0;
  const noTag = untagged > 0 && foldTag('no tag').startsWith(foldTag(value)) ? [{ tag: null, plants: untagged }] : [];
  const shown: readonly Option[] = value === '' ? [...noTag, ...tags] : [...tags, ...noTag];
  // Beyond the tags that are known there may be any.
  const takesKnown = isFilter && isOpen && value !== '' && known?.isWhole === true;
  const isUnknown = takesKnown && shown.length === 0;
  const isShown = shown.length > 0 || isUnknown;
  useLayoutEffect(() => {
    showFloating(list.current, isShown);
  }, [isShown]);

  useLayoutEffect(
    () => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }),
    [at],
  );

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
      const picked = shown[takesKnown ? Math.max(0, at) : at];
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
      <div
        class="combo-list"
        ref={list}
        // The field keeps the focus.
        onMouseDown={(event) => event.preventDefault()}
        popover={isFloating === true ? floating : undefined}
        hidden={!isShown}
      >
        {/* No tab stop, although it scrolls. */}
        <ul id={listId} role="listbox" aria-label="Tags in use" tabIndex={-1} hidden={shown.length === 0}>
          {shown.map(({ tag, plants }, index) => (
            <li
              key={tag}
              id={`${listId}-${index}`}
              role="option"
              aria-selected={index === at}
              onClick={() => choose(tag)}
            >
              <CountedTag tag={tag} plants={plants} />
            </li>
          ))}
        </ul>
        {found.length > suggestionsMax && (
          <p class="combo-note">
            {known?.isWhole === true ? `${suggestionsMax} of ${toGrouped(found.length)}` : 'There are more'}: type a
            part of the tag, or see {/* Not in the order of Tab, which leaves the field and closes this. */}
            <a tabIndex={-1} {...toLink(viewChange('tags'))}>
              all tags
            </a>
          </p>
        )}
        <div role="status">{isUnknown && <p class="combo-note">No plant has such a tag</p>}</div>
      </div>
    </div>
  );
}
