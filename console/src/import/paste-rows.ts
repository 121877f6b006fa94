/** Rows from the clipboard become an import: pasted outside of a field, or more than one line into the name of a new plant. */
import { navigate, viewChange } from '../route.ts';
import { currentSession } from '../session/session.ts';
import { showToast } from '../session/toasts.tsx';
import { isImporting, withImport } from './load-import.tsx';

/** Shows the rows in the import; nothing is stored. */
function importRows(data: File | string): void {
  if (isImporting()) {
    showToast({ text: 'Another import is running. Paste the rows again when it is complete.' });
    return;
  }
  withImport(({ choose }) => choose(data));
  navigate({ ...viewChange('import') });
}

function hasRows(text: string): boolean {
  return text.split(/[\r\n]+/).filter((line) => line.trim() !== '').length > 1;
}

/** For the page: what is pasted into no field, or as rows into the name of a new plant. Returns a function that ends it. */
export function listenToPastes(): () => void {
  const onPaste = (event: ClipboardEvent): void => {
    const { target, clipboardData } = event;
    if (currentSession()?.canWrite !== true || event.defaultPrevented) return;
    const field = target instanceof Element ? target.closest('input, textarea, select, [contenteditable]') : null;
    const text = clipboardData?.getData('text/plain') ?? '';
    if (field !== null && !(field.matches('[data-rows=import]') && hasRows(text))) return;
    const data = (field === null ? clipboardData?.files[0] : undefined) ?? text;
    if (typeof data === 'string' && data.trim() === '') return;
    event.preventDefault();
    importRows(data);
  };
  addEventListener('paste', onPaste);
  return () => removeEventListener('paste', onPaste);
}
