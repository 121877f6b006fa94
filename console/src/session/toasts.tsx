/**
 * Short messages at the edge of the page: one that waits for a decision, bad news, which stays until it is
 * closed or there is more of it, and the newest of the others.
 */
import type { ComponentChildren } from 'preact';
import { Observable, useValue } from '../observable.ts';
import { Button } from '../ui/button.tsx';
import { toSentence } from '../ui/filter-text.ts';
import { ofSession } from './session.ts';

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
  /** It replaces an earlier message about the same. */
  readonly about?: unknown;
  /** It waits for a decision, so that other messages do not replace it. Called when there is none. */
  readonly onDismiss?: () => void;
}

interface ShownToast extends Toast {
  /** Of bad news: how many nobody has closed before it came. */
  readonly earlier: number;
}

/** Time a message stays, at least until the pointer and the focus have left it, in milliseconds. */
const plainMs = 5_000;
/** The same with a button, as Undo. What can be undone is also in the bin or the activity. */
export const offerMs = 10_000;
/** Once that is over, how often is asked whether the pointer and the focus have left it, in milliseconds. */
const leaveMs = 1_000;

/** What waits for a decision, bad news, and the newest of the others. */
const kinds = ['waiting', 'bad', 'other'] as const;
type Shown = Readonly<Partial<Record<(typeof kinds)[number], ShownToast>>>;

/** What a session began that has ended since shows nothing: it would be done with another token. */
const shown = ofSession(() => new Observable<Shown>({}));

export function showToast(toast: Toast): void {
  const kind = toast.onDismiss !== undefined ? 'waiting' : toast.isBad === true ? 'bad' : 'other';
  const last = shown().value[kind];
  const isSame = toast.about !== undefined && last?.about === toast.about;
  if (toast.about !== undefined) dropToast(toast.about);
  const text = toSentence(toast.text);
  const next = { ...toast, text, earlier: last === undefined ? 0 : last.earlier + (isSame ? 0 : 1) };
  shown().set({ ...shown().value, [kind]: next });
  if (kind === 'other') dismissLater(next, toast.stayMs ?? (toast.actions === undefined ? plainMs : offerMs));
}

/** Call when what a message says is over. Returns whether it was shown. */
export function dropToast(about: unknown): boolean {
  const found = Object.values(shown().value).find((toast) => toast.about === about);
  if (found !== undefined) drop(found);
  return found !== undefined;
}

function drop(toast: ShownToast): void {
  shown().set(Object.fromEntries(Object.entries(shown().value).filter(([, each]) => each !== toast)));
}

function dismissLater(toast: ShownToast, delayMs: number): void {
  setTimeout(() => {
    const isLooked = document.querySelector('.toasts:is(:hover, :focus-within)') !== null;
    if (isLooked) dismissLater(toast, leaveMs);
    else drop(toast);
  }, delayMs);
}

/** @param children above the messages. */
export function Toasts({ children }: { readonly children: ComponentChildren }) {
  const now = useValue(shown());
  return (
    <div class="toasts" role="status" aria-live="polite">
      {children}
      {kinds.map((kind) => now[kind] && <Message key={now[kind]} toast={now[kind]} />)}
    </div>
  );
}

function Message({ toast }: { readonly toast: ShownToast }) {
  const { text, actions = [], isBad = false, earlier, onDismiss } = toast;
  return (
    <div class={isBad ? 'toast toast-bad' : 'toast'}>
      <p>
        {text}
        {isBad && earlier > 0 && ` (${earlier} more before)`}
      </p>
      {actions.map(({ label, run }) => (
        <button
          key={label}
          type="button"
          class="toast-action"
          onClick={() => {
            drop(toast);
            run();
          }}
        >
          {label}
        </button>
      ))}
      <Button kind="quiet" icon="close" label="Dismiss" onClick={() => (drop(toast), onDismiss?.())} />
    </div>
  );
}
