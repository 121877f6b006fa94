/** A field for a tag that suggests those in use (WAI-ARIA combobox with a list). Any other text is valid as well, except in a filter. */
import { useId, useState } from 'preact/hooks';
import { useValue } from '../observable.ts';
import { keyOf } from '../ui/keys.ts';
import { TextInput } from '../ui/text-input.tsx';
import { tally } from '../copy/tags.ts';
import { SuggestionList, type Suggestions, toSuggestions } from './tag-suggestions.tsx';

interface TagFieldProps {
  readonly id: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
  /**
   * Called with a suggestion, or on Enter with the text itself; of a filter that knows all tags, with the first suggestion. Default: `onInput`.
   */
  readonly onPick?: (tag: string) => void;
  /** Makes it a filter, in which only tags in use can be picked: called for plants without a tag. */
  readonly onNone?: () => void;
  readonly placeholder?: string;
  readonly label?: string;
  readonly describedBy?: string;
  readonly readOnly?: boolean;
  readonly isInvalid?: boolean;
  readonly isFloating?: boolean;
}

const closed: Suggestions = { options: [] };

export function TagField(props: TagFieldProps) {
  const { id, value, onInput, onPick = onInput, onNone, placeholder, label, describedBy } = props;
  const { readOnly = false, isInvalid = false, isFloating = false } = props;
  const listId = useId();
  const [isOpen, setOpen] = useState(false);
  /** The suggestion that the arrow keys have marked; -1: none. */
  const [at, setAt] = useState(-1);
  const known = useValue(tally);
  const suggestions = isOpen && !readOnly ? toSuggestions(value, known, onNone !== undefined) : closed;
  const { options } = suggestions;
  const choose = (tag: string | null): void => {
    setOpen(false);
    setAt(-1);
    if (tag === null) onNone?.();
    else onPick(tag);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const key = keyOf(event);
    const count = options.length;
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      if (!isOpen) setOpen(true);
      else if (count > 0) setAt((key === 'ArrowDown' ? at + 1 : Math.max(0, at) - 1 + count) % count);
      event.preventDefault();
    } else if (key === 'Escape' && count > 0) {
      setOpen(false);
      setAt(-1);
      event.stopPropagation();
    } else if (key === 'Enter') {
      const picked = options[suggestions.isClosed === true ? Math.max(0, at) : at];
      if (picked !== undefined) {
        event.preventDefault();
        choose(picked.tag);
      } else if (value !== '' && suggestions.isClosed !== true) choose(value);
    }
  };

  return (
    <div class="combo">
      <TextInput
        id={id}
        role="combobox"
        dir="auto"
        value={value}
        readOnly={readOnly}
        placeholder={placeholder}
        aria-label={label}
        aria-expanded={options.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={options[at] === undefined ? undefined : `${listId}-${at}`}
        aria-describedby={describedBy}
        aria-invalid={isInvalid}
        onFocus={() => setOpen(true)}
        onClick={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onText={(text) => {
          setOpen(true);
          setAt(-1);
          onInput(text);
        }}
        onKeyDown={onKeyDown}
      />
      <SuggestionList {...suggestions} id={listId} at={at} isFloating={isFloating} onChoose={choose} />
    </div>
  );
}
