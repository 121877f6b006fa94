/** The tools of the list: search, tag filter, export and new plant. */
import { useId, useRef, useState } from 'preact/hooks';
import { useValue } from '../observable.ts';
import { navigate, route } from '../route.ts';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { useCommand } from '../ui/commands.ts';
import { Icon } from '../ui/icons.tsx';
import { keyOf } from '../ui/keys.ts';
import { toCount } from '../ui/numbers.ts';
import { TagChip } from '../ui/plant-text.tsx';
import { ExportButton } from './export-button.tsx';
import { toFilterText, toSentence } from '../ui/filter-text.ts';
import type { ExportJob } from './export-plants.ts';
import { TagField } from '../form/tag-field.tsx';

export function ListActions({ source, total }: Pick<ExportJob, 'source' | 'total'>) {
  const { canWrite } = useSession();
  const title =
    typeof source === 'function'
      ? `${toCount(total ?? 0, 'plant')} that the list shows`
      : toSentence(toFilterText(source, total));
  return (
    <div class="list-actions">
      <ExportButton source={source} total={total} title={title} />
      <Button
        kind="main"
        icon="plus"
        disabled={!canWrite}
        {...(canWrite ? {} : { label: 'New plant: this token cannot change plants' })}
        onClick={() => navigate({ plant: 'new' })}
      >
        New plant
      </Button>
    </div>
  );
}

interface SearchProps {
  /** Enter in the search. */
  readonly onEnter: () => void;
  /** Arrow Down in the search. */
  readonly onDown: () => void;
}

export function SearchField({ onEnter, onDown }: SearchProps) {
  const { search } = useValue(route);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  useCommand('search', () => input.current?.select());
  return (
    <div class="search" role="search">
      <label class="for-readers" for={id}>
        Search by parts of words in names and tags, or by id
      </label>
      <Icon name="search" />
      <input
        ref={input}
        id={id}
        class="input"
        type="search"
        placeholder="Name, tag or id"
        autocomplete="off"
        spellcheck={false}
        dir="auto"
        // In units of UTF-16: as many as the 1,000 characters that the service takes can have.
        maxLength={2_000}
        value={search}
        // The back button leaves the search, instead of removing letter after letter.
        onInput={({ currentTarget: { value } }) =>
          navigate({ search: value }, { replace: search !== '' && value !== '' })
        }
        onKeyDown={(event) => {
          const key = keyOf(event);
          if (key === 'Escape' && search !== '') navigate({ search: '' });
          else if (key === 'Enter') onEnter();
          else if (key === 'ArrowDown') onDown();
          else return;
          event.preventDefault();
        }}
      />
      {search !== '' && (
        <Button
          kind="quiet"
          icon="close"
          label="Clear the search"
          onClick={() => {
            navigate({ search: '' });
            input.current?.focus();
          }}
        />
      )}
    </div>
  );
}

export function TagFilter() {
  const { tag } = useValue(route);
  if (tag === undefined) return <TagChoice />;
  return (
    <div class="tag-filter tag-filter-on">
      <span class="for-readers">Only plants with </span>
      {tag === null ? <span class="no-text">no tag</span> : <TagChip tag={tag} />}
      <Button kind="quiet" icon="close" label="Show all tags" onClick={() => navigate({ tag: undefined })} />
    </div>
  );
}

/** Its text is gone once a tag is chosen. */
function TagChoice() {
  const [text, setText] = useState('');
  const id = useId();
  return (
    <div class="tag-filter">
      <Icon name="tags" />
      <TagField
        id={id}
        value={text}
        onInput={setText}
        onPick={(picked) => navigate({ tag: picked })}
        onNone={() => navigate({ tag: null })}
        placeholder="Any tag"
        label="Only plants with this tag"
      />
    </div>
  );
}
