/** Short messages at the edge of the page: the newest one, and bad news, which stays until it is closed or there is more of it. */
import { type ComponentChildren, createRef } from 'preact';
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
  /** Default: by whether it has actions. */
  readonly stayMs?: number;
}

interface ShownToast extends Toast {
  readonly key: number;
  /** Of bad news: how many nobody has closed before it came. */
  readonly earlier: number;
}

/** Time a message stays, at least until the pointer and the focus have left it, in milliseconds. */
const plainMs = 5_000;
/** The same with a button, as Undo. What can be undone is also in the bin or the activity. */
export const offerMs = 10_000;
/** Once that is over, how often is asked whether the pointer and the focus have left it, in milliseconds. */
const leaveMs = 1_000;

const badNews = new Observable<ShownToast | undefined>(undefined);
const latest = new Observable<ShownToast | undefined>(undefined);
const places = [badNews, latest];
const region = createRef<HTMLDivElement>();
let lastKey = 0;

/** Nobody is signed in. */
const isMuted = new Observable(true);

/** Call when a session begins or ends: what messages offer would be done with the token of whoever was signed in. */
export function muteToasts(muted: boolean): void {
  isMuted.set(muted);
  if (muted) for (const place of places) place.set(undefined);
}

export function showToast(toast: Toast): void {
  // About what a session began that has ended since.
  if (isMuted.value) return;
  const place = toast.isBad === true ? badNews : latest;
  const key = ++lastKey;
  const text = toast.text.charAt(0).toUpperCase() + toast.text.slice(1);
  place.set({ ...toast, text, key, earlier: place.value === undefined ? 0 : place.value.earlier + 1 });
  if (toast.isBad !== true) dismissLater(key, toast.stayMs ?? (toast.actions === undefined ? plainMs : offerMs));
}

function dismissLater(key: number, delayMs: number): void {
  setTimeout(() => {
    if (region.current?.matches(':hover, :focus-within') === true) dismissLater(key, leaveMs);
    else dismiss(key);
  }, delayMs);
}

function dismiss(key: number): void {
  for (const place of places) if (place.value?.key === key) place.set(undefined);
}

/** @param children above the messages. */
export function Toasts({ children }: { readonly children: ComponentChildren }) {
  const shown = [useValue(badNews), useValue(latest)];
  return (
    <div class="toasts" ref={region} role="status" aria-live="polite">
      {children}
      {shown.map((toast) => toast && <Message key={toast.key} toast={toast} />)}
    </div>
  );
}

function Message({ toast: { key, text, actions = [], isBad, earlier } }: { readonly toast: ShownToast }) {
  return (
    <div class={isBad === true ? 'toast toast-bad' : 'toast'}>
      <p>
        {text}
        {isBad === true && earlier > 0 && ` (${earlier} more before)`}
      </p>
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
