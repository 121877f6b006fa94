/** Short messages at the edge of the page, the newest alone. Bad news stays until it is dismissed or pushed out, also behind another. */
import { type ComponentChildren, createRef } from 'preact';
import { Observable, useValue } from '../observable.ts';
import { session } from '../session/session.ts';
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

/** Time a message stays after the pointer and the focus have left it, in milliseconds. What can be undone is also in the bin. */
const stayMs = { plain: 5_000, withActions: 10_000 } as const;
const toastsMax = 3;

const toasts = new Observable<readonly ShownToast[]>([]);
const region = createRef<HTMLDivElement>();
let lastKey = 0;

// What they offer would be done with the token of whoever was signed in.
session.subscribe(() => {
  if (session.value === undefined) toasts.set([]);
});

export function showToast(toast: Toast): void {
  // About what a session began that has ended since.
  if (session.value === undefined) return;
  const key = ++lastKey;
  const text = toast.text.charAt(0).toUpperCase() + toast.text.slice(1);
  toasts.set([...toasts.value, { ...toast, text, key }].slice(-toastsMax));
  if (toast.isBad !== true) dismissLater(key, toast.actions === undefined ? stayMs.plain : stayMs.withActions);
}

function dismissLater(key: number, delayMs: number): void {
  setTimeout(() => {
    if (region.current?.matches(':hover, :focus-within') === true) dismissLater(key, delayMs);
    else dismiss(key);
  }, delayMs);
}

function dismiss(key: number): void {
  toasts.set(toasts.value.filter((each) => each.key !== key));
}

/** @param children above the messages. */
export function Toasts({ children }: { readonly children: ComponentChildren }) {
  const shown = useValue(toasts);
  return (
    <div class="toasts" ref={region} role="status" aria-live="polite">
      {children}
      {shown.slice(-1).map((toast) => (
        <Message key={toast.key} toast={toast} />
      ))}
    </div>
  );
}

function Message({ toast: { key, text, actions = [], isBad } }: { readonly toast: ShownToast }) {
  return (
    <div class={isBad === true ? 'toast toast-bad' : 'toast'}>
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
  );
}
