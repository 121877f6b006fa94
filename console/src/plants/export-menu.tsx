/** The export menu: which plants, how many, in which format; while it runs, how far it is. */
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PlantClient, RowFormat } from '../../../src/client/client.ts';
import { Observable, useValue } from '../observable.ts';
import { parseId } from '../parse-id.ts';
import { route, toFilter } from '../route.ts';
import { noteError, session } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { toCount, toSize } from '../ui/numbers.ts';
import { toQuoted } from '../ui/plant-text.tsx';
import { showToast } from '../ui/toasts.tsx';
import { type ExportJob, exportPlants, type ExportProgress } from './export-plants.ts';
import { selection } from './selection.ts';
import { tally } from './tags.ts';

/** The export that runs, also while another view is shown; undefined: none. */
const running = new Observable<{ readonly progress: ExportProgress; readonly stop: () => void } | undefined>(undefined);

export function ExportMenu() {
  const current = useValue(session);
  const now = useValue(running);
  const client = typeof current === 'object' ? current.client : undefined;
  if (now === undefined)
    return (
      <Menu
        disabled={typeof current === 'object' && !current.canRead}
        onPick={(job) => client !== undefined && void save(client, job)}
      />
    );
  const { bytes, share } = now.progress;
  return (
    <div class="menu">
      <Button icon="close" label="Stop the export" onClick={now.stop}>
        {share === undefined ? toSize(bytes) : `${Math.floor(share * 100)} %`}
      </Button>
    </div>
  );
}

async function save(client: PlantClient, job: ExportJob): Promise<void> {
  const controller = new AbortController();
  const show = (progress: ExportProgress): void => {
    if (!controller.signal.aborted) running.set({ progress, stop: () => controller.abort() });
  };
  show({ bytes: 0, share: 0 });
  try {
    const size = await exportPlants(client, job, controller.signal, show);
    showToast({ text: `Export complete: ${toSize(size)}.` });
  } catch (error) {
    if (!controller.signal.aborted) {
      noteError(error, 'read');
      showToast({ text: 'Export failed, no file was saved. Try again.', isBad: true });
    }
  } finally {
    // Several plants are read at a time: the others would go on.
    controller.abort();
    running.set(undefined);
  }
}

interface MenuProps {
  readonly disabled: boolean;
  readonly onPick: (job: ExportJob) => void;
}

function Menu({ disabled, onPick }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const menuId = useId();
  // Before the menu is painted: a key pressed right after that must not be overtaken by the change of focus.
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    root.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus();
    const close = (event: Event): void => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', close);
    return () => document.removeEventListener('pointerdown', close);
  }, [isOpen]);

  return (
    <div
      class="menu"
      ref={root}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node && !root.current?.contains(relatedTarget)) setOpen(false);
      }}
      onKeyDown={(event) => {
        if (!isOpen) return;
        if (event.key === 'Escape') {
          event.stopPropagation();
          setOpen(false);
          root.current?.querySelector('button')?.focus();
        }
        if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
          event.preventDefault();
          const items = [...(root.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
          const at = items.findIndex((item) => item === document.activeElement);
          items[(at + (event.key === 'ArrowDown' ? 1 : items.length - 1)) % items.length]?.focus();
        }
      }}
    >
      <button
        type="button"
        class="button button-plain button-menu"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={menuId}
        disabled={disabled}
        onClick={() => setOpen(!isOpen)}
      >
        <span>Export</span>
      </button>
      <div id={menuId} class="menu-list" role="menu" aria-label="Export" hidden={!isOpen}>
        {isOpen && (
          <Choices
            onPick={(job) => {
              setOpen(false);
              onPick(job);
            }}
          />
        )}
      </div>
    </div>
  );
}

const formats: readonly { readonly format: RowFormat; readonly name: string; readonly use: string }[] = [
  { format: 'text/csv', name: 'CSV', use: 'for spreadsheets' },
  { format: 'application/x-ndjson', name: 'NDJSON', use: 'for programs' },
];

function Choices({ onPick }: { readonly onPick: (job: ExportJob) => void }) {
  const { search, tag } = useValue(route);
  const selected = useValue(selection);
  const known = useValue(tally);
  const tagged = known?.tags.find((each) => each.tag === tag)?.plants;
  const total = search !== '' ? undefined : tag === undefined ? known?.plants : tagged;
  const count = total === undefined ? undefined : Number(total);
  const groups = [
    {
      title: toCount(selected.size, 'selected plant'),
      source: [...selected.keys()],
      total: selected.size,
    },
    { title: toTitle(search, tag, count), source: toFilter({ search, tag }), total: count },
  ];
  return (
    <>
      {groups.map(
        ({ title, source, total }, at) =>
          (at > 0 || selected.size > 0) && (
            <div key={at} class="menu-group" role="group" aria-label={title}>
              <p role="presentation">{title}</p>
              {formats.map(({ format, name, use }) => (
                <button
                  key={format}
                  type="button"
                  role="menuitem"
                  tabIndex={-1}
                  onClick={() => onPick({ format, source, total })}
                >
                  <b>{name}</b>
                  <span class="soft small">{use}</span>
                </button>
              ))}
            </div>
          ),
      )}
    </>
  );
}

/** `All 1,000 plants`, `20 plants tagged “fern”`, `Plants matching “deli”`. */
function toTitle(search: string, tag: string | undefined, count: number | undefined): string {
  const plants = count === undefined ? 'plants' : toCount(count, 'plant');
  if (search === '' && tag === undefined) return count === 1 ? plants : `All ${plants}`;
  const rules = [
    ...(search === '' ? [] : [`matching ${toQuoted(search)}${parseId(search.trim()) === undefined ? '' : ' by name'}`]),
    ...(tag === undefined ? [] : [`tagged ${tag === '' ? '“”' : toQuoted(tag)}`]),
  ];
  return `${count === undefined ? 'Plants' : plants} ${rules.join(' and ')}`;
}
