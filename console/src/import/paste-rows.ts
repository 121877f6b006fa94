/** Rows from the clipboard become an import: pasted outside of a field, or more than one line into the name of a new plant. */
import { navigate, viewChange } from '../route.ts';
import { currentSession } from '../session/session.ts';
import { showToast } from '../session/toasts.tsx';
import { findImport, withImport } from './load-import.tsx';

/** Shows the rows in the import; nothing is stored. */
export function importRows(data: File | string): void {
  if (findImport()?.isImporting() === true) {
    showToast({ text: 'Another import is running. Paste the rows again when it is complete.' });
    return;
  }
  withImport(({ choose }) => choose(data));
  navigate({ ...viewChange('import') });
}

/** Whether the text has more than one row. */
export function hasRows(text: string): boolean {
  return text.split(/[\r\n]+/).filter((line) => line.trim() !== '').length > 1;
}

/** For the page: what is pasted into no field. Returns a function that ends it. */
export function listenToPastes(): () => void {
  const onPaste = (event: ClipboardEvent): void => {
    const { target, clipboardData } = event;
    if (currentSession()?.canWrite !== true || event.defaultPrevented) return;
    if (target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null) return;
    const data = clipboardData?.files[0] ?? clipboardData?.getData('text/plain') ?? '';
    if (typeof data === 'string' && data.trim() === '') return;
    event.preventDefault();
    importRows(data);
  };
  addEventListener('paste', onPaste);
  return () => removeEventListener('paste', onPaste);
}
