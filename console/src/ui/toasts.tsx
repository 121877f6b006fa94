/** Short messages at the edge of the page. One with an action stays until it is used or dismissed, so that nobody has to hurry. */
import { Observable, useValue } from '../observable.ts';
import { Button } from './button.tsx';

export interface Toast {
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
  readonly isBad?: boolean;
}

interface ShownToast extends Toast {
  readonly key: number;
}

/** A message without an action leaves after this many milliseconds. */
const stayMs = 5_000;
const toastsMax = 3;

const toasts = new Observable<readonly ShownToast[]>([]);
let lastKey = 0;

export function showToast(toast: Toast): void {
  const key = ++lastKey;
  toasts.set([...toasts.value, { ...toast, key }].slice(-toastsMax));
  if (toast.action === undefined && toast.isBad !== true) setTimeout(() => dismiss(key), stayMs);
}

function dismiss(key: number): void {
  toasts.set(toasts.value.filter((each) => each.key !== key));
}

export function Toasts() {
  const shown = useValue(toasts);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map(({ key, text, action, isBad }) => (
        <div key={key} class={isBad === true ? 'toast toast-bad' : 'toast'}>
          <p>{text}</p>
          {action !== undefined && (
            <button
              type="button"
              class="toast-action"
              onClick={() => {
                dismiss(key);
                action.run();
              }}
            >
              {action.label}
            </button>
          )}
          <Button kind="quiet" icon="close" label="Dismiss" onClick={() => dismiss(key)} />
        </div>
      ))}
    </div>
  );
}
