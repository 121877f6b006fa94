/** Short messages at the edge of the page. One with actions stays until it is used, dismissed or pushed out by others. */
import { Observable, useValue } from '../observable.ts';
import { Button } from './button.tsx';

export interface ToastAction {
  readonly label: string;
  readonly run: () => void;
}

export interface Toast {
  readonly text: string;
  readonly actions?: readonly ToastAction[];
  readonly isBad?: boolean;
}

interface ShownToast extends Toast {
  readonly key: number;
}

/** Time a message without an action stays, in milliseconds. */
const stayMs = 5_000;
const toastsMax = 3;

const toasts = new Observable<readonly ShownToast[]>([]);
let lastKey = 0;

export function showToast(toast: Toast): void {
  const key = ++lastKey;
  toasts.set([...toasts.value, { ...toast, key }].slice(-toastsMax));
  if (toast.actions === undefined && toast.isBad !== true) setTimeout(() => dismiss(key), stayMs);
}

function dismiss(key: number): void {
  toasts.set(toasts.value.filter((each) => each.key !== key));
}

export function Toasts() {
  const shown = useValue(toasts);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map(({ key, text, actions = [], isBad }) => (
        <div key={key} class={isBad === true ? 'toast toast-bad' : 'toast'}>
          <p>{text}</p>
          {actions.map((action) => (
            <button
              key={action.label}
              type="button"
              class="toast-action"
              onClick={() => {
                dismiss(key);
                action.run();
              }}
            >
              {action.label}
            </button>
          ))}
          <Button kind="quiet" icon="close" label="Dismiss" onClick={() => dismiss(key)} />
        </div>
      ))}
    </div>
  );
}
