/** Saves what is filtered as a file. The file is handed over only when the whole export has come in. */
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RowFormat } from '../../../src/client/client.ts';
import { useValue } from '../observable.ts';
import { route } from '../route.ts';
import { noteError, session } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { toSize } from '../ui/numbers.ts';
import { showToast } from '../ui/toasts.tsx';
import { toFilter } from './filter.ts';

export function ExportMenu() {
  const current = useValue(session);
  const [isOpen, setOpen] = useState(false);
  const [bytes, setBytes] = useState<number | undefined>(undefined);
  const abort = useRef<AbortController | undefined>(undefined);
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

  const save = async (mediaType: RowFormat): Promise<void> => {
    setOpen(false);
    if (typeof current !== 'object') return;
    const controller = new AbortController();
    abort.current = controller;
    setBytes(0);
    try {
      const { signal } = controller;
      const stream = await current.client.exportBytes(mediaType, { ...toFilter(route.value), signal });
      const blob = await collect(stream, mediaType, setBytes);
      offer(blob, mediaType === 'text/csv' ? 'plants.csv' : 'plants.ndjson');
      showToast({ text: `Export ready: ${toSize(blob.size)}.` });
    } catch (error) {
      if (!controller.signal.aborted) {
        noteError(error, 'read');
        showToast({ text: 'The export broke off, so nothing was saved. Try again.', isBad: true });
      }
    } finally {
      setBytes(undefined);
    }
  };

  if (bytes !== undefined) {
    return (
      <Button icon="close" label="Stop the export" onClick={() => abort.current?.abort()}>
        {`Exporting, ${toSize(bytes)}`}
      </Button>
    );
  }
  return (
    <div
      class="menu"
      ref={root}
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
        disabled={typeof current === 'object' && !current.canRead}
        onClick={() => setOpen(!isOpen)}
      >
        <span>Export</span>
      </button>
      <div id={menuId} class="menu-list" role="menu" aria-label="Export as" hidden={!isOpen}>
        <button type="button" role="menuitem" tabIndex={-1} onClick={() => void save('text/csv')}>
          <b>CSV</b>
          <span>for spreadsheets</span>
        </button>
        <button type="button" role="menuitem" tabIndex={-1} onClick={() => void save('application/x-ndjson')}>
          <b>NDJSON</b>
          <span>for programs</span>
        </button>
      </div>
    </div>
  );
}

async function collect(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  type: string,
  onProgress: (bytes: number) => void,
): Promise<Blob> {
  const reader = stream.getReader();
  const parts: Blob[] = [];
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  let shown = 0;
  for (;;) {
    const { value } = await reader.read();
    if (value === undefined) break;
    chunks.push(value);
    bytes += value.length;
    if (bytes - shown < 1_000_000) continue;
    // A browser may move blobs out of memory, arrays never.
    parts.push(new Blob(chunks));
    chunks = [];
    shown = bytes;
    onProgress(bytes);
  }
  return new Blob([...parts, ...chunks], { type });
}

function offer(blob: Blob, fileName: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
