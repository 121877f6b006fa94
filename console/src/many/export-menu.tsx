/** The export menu: which plants, how many, in which format; while it runs, how far it is. */
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PlantClient, RowFormat } from '../../../src/client/client.ts';
import { Observable, useValue } from '../observable.ts';
import { noteError, ofSession, useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { keyOf } from '../ui/keys.ts';
import { toSize } from '../ui/numbers.ts';
import { showToast } from '../session/toasts.tsx';
import { type ExportJob, exportPlants, type ExportProgress } from './export-plants.ts';

/** The export that runs, also while another view is shown; undefined: none. */
const running = ofSession(
  () => new Observable<{ readonly progress: ExportProgress; readonly stop: () => void } | undefined>(undefined),
);

interface MenuProps extends Pick<ExportJob, 'source' | 'total'> {
  /** Which plants: `All 1,000 plants`. */
  readonly title: string;
}

export function ExportMenu(props: MenuProps) {
  const { client, canRead } = useSession();
  const now = useValue(running());
  if (now === undefined) return <Menu {...props} disabled={!canRead} onPick={(job) => void save(client, job)} />;
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
  const shown = running();
  const show = (progress: ExportProgress): void => {
    if (!controller.signal.aborted) shown.set({ progress, stop: () => controller.abort() });
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
    shown.set(undefined);
  }
}

interface OpenProps extends MenuProps {
  readonly disabled: boolean;
  readonly onPick: (job: ExportJob) => void;
}

function Menu({ source, total, title, disabled, onPick }: OpenProps) {
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
        const key = keyOf(event);
        if (key === 'Escape') {
          event.stopPropagation();
          setOpen(false);
          root.current?.querySelector('button')?.focus();
        }
        if (key === 'ArrowDown' || key === 'ArrowUp') {
          event.preventDefault();
          const items = [...(root.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
          const at = items.findIndex((item) => item === document.activeElement);
          items[(at + (key === 'ArrowDown' ? 1 : items.length - 1)) % items.length]?.focus();
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
          <div class="menu-group" role="group" aria-label={title}>
            <p role="presentation">{title}</p>
            {formats.map(({ format, name, use }) => (
              <button
                key={format}
                type="button"
                role="menuitem"
                tabIndex={-1}
                onClick={() => {
                  setOpen(false);
                  onPick({ format, source, total });
                }}
              >
                <b>{name}</b>
                <span class="soft small">{use}</span>
              </button>
            ))}
          </div>
        )}
      </div>
    </div>
  );
}

const formats: readonly { readonly format: RowFormat; readonly name: string; readonly use: string }[] = [
  { format: 'text/csv', name: 'CSV', use: 'for spreadsheets' },
  { format: 'application/x-ndjson', name: 'NDJSON', use: 'for programs' },
];
