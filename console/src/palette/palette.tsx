/**
 * The palette: plants, tags, pages and what can be done, found by typing and chosen with the arrow keys (WAI-ARIA combobox with a list, in
 * a dialog).
 */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Observable, useValue } from '../observable.ts';
import { tally } from '../copy/tags.ts';
import { navigate } from '../route.ts';
import { ofSession, useSession } from '../session/session.ts';
import { Icon, type IconName } from '../ui/icons.tsx';
import { type CommandName, findCommand, keyOf } from '../ui/keys.ts';
import { Modal } from '../ui/modal.tsx';
import { PlantName, TagDot } from '../ui/plant-text.tsx';
import { type Entry, findEntries } from './find-entries.ts';
import { useFound } from './use-found.ts';

const isOpen = ofSession(() => new Observable(false));

export function showPalette(): void {
  isOpen().set(true);
}

interface PaletteProps {
  readonly onCommand: (command: CommandName) => void;
}

export function Palette(props: PaletteProps) {
  if (!useValue(isOpen())) return null;
  return (
    <Modal label="Find or do" kind="palette" onClose={() => isOpen().set(false)}>
      {(close) => <Finder {...props} close={close} />}
    </Modal>
  );
}

function Finder({ onCommand, close }: PaletteProps & { readonly close: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const listId = useId();
  const { client, canWrite } = useSession();
  const found = useFound(client, text);
  const tags = useValue(tally)?.tags ?? [];
  const entries = findEntries(text, { tags, plants: found ?? [], canWrite });
  useEffect(() => list.current?.children[at]?.scrollIntoView({ block: 'nearest' }), [at]);
  const choose = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    close();
    if (entry.change === undefined) onCommand(entry.kind as CommandName);
    else navigate(entry.change);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const key = keyOf(event);
    if (key === 'ArrowDown') setAt((at + 1) % entries.length || 0);
    else if (key === 'ArrowUp') setAt((at - 1 + entries.length) % entries.length || 0);
    else if (key === 'Enter') choose(entries[at]);
    else if (findCommand(event, true) === 'palette') close();
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        class="input"
        type="text"
        role="combobox"
        placeholder="Plant, id, tag, page or action"
        aria-label="Find a plant, a tag, a page or an action"
        autocomplete="off"
        spellcheck={false}
        dir="auto"
        // As in the search.
        maxLength={2_000}
        value={text}
        aria-expanded
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={entries[at] === undefined ? undefined : `${listId}-${at}`}
        onInput={({ currentTarget: { value } }) => {
          setText(value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id={listId} role="listbox" aria-label="Found" ref={list}>
        {entries.map((entry, index) => (
          <li
            key={index}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === at}
            // Keeps the focus in the field.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(entry)}
          >
            <EntryText entry={entry} />
          </li>
        ))}
      </ul>
      <p class="combo-note" role="status">
        {entries.length > 0 ? '' : found === undefined ? 'Searching…' : 'Nothing found'}
      </p>
    </>
  );
}

/** The others have that of the settings. */
const icons: Readonly<Partial<Record<Entry['kind'], IconName>>> = {
  search: 'search',
  new: 'plus',
  all: 'check',
  export: 'export',
  plants: 'plants',
  tags: 'tags',
  activity: 'activity',
  plant: 'plants',
  bin: 'bin',
  import: 'import',
  labels: 'label',
  tokens: 'key',
  webhooks: 'webhooks',
};

function EntryText({ entry: { kind, text, more } }: { readonly entry: Entry }) {
  return (
    <>
      {kind === 'tag' ? <TagDot tag={text} /> : <Icon name={icons[kind] ?? 'settings'} />}
      <span class="cut">
        <PlantName name={text} />
      </span>
      <span class="soft small">{more === undefined ? '' : String(more)}</span>
    </>
  );
}
