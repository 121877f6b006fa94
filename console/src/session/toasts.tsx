/** Short messages at the edge of the page: the newest one, and bad news, which stays until it is closed or there is more of it. */
import type { ComponentChildren } from 'preact';
import { Observable, useValue } from '../observable.ts';
import { Button } from '../ui/button.tsx';
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

type Place = Observable<ShownToast | undefined>;

/** Bad news, then the others. What a session began that has ended since shows nothing: it would be done with another token. */
const places = ofSession((): readonly Place[] => [
  new Observable<Place['value']>(undefined),
  new Observable<Place['value']>(undefined),
]);

export function showToast(toast: Toast): void {
  const isBad = toast.isBad === true;
  const place = places()[isBad ? 0 : 1];
  if (place === undefined) return;
  const { value: last } = place;
  const isSame = toast.about !== undefined && last?.about === toast.about;
  if (toast.about !== undefined) dropToast(toast.about);
  const text = toast.text.charAt(0).toUpperCase() + toast.text.slice(1);
  const shown = { ...toast, text, earlier: last === undefined ? 0 : last.earlier + (isSame ? 0 : 1) };
  place.set(shown);
  if (!isBad) dismissLater(place, shown, toast.stayMs ?? (toast.actions === undefined ? plainMs : offerMs));
}

/** Call when what a message says is over. Returns whether it was shown. */
export function dropToast(about: unknown): boolean {
  const place = places().find(({ value }) => value !== undefined && value.about === about);
  place?.set(undefined);
  return place !== undefined;
}

function dismissLater(place: Place, toast: ShownToast, delayMs: number): void {
  setTimeout(() => {
    const isLooked = document.querySelector('.toasts:is(:hover, :focus-within)') !== null;
    if (isLooked) dismissLater(place, toast, leaveMs);
    else if (place.value === toast) place.set(undefined);
  }, delayMs);
}

/** @param children above the messages. */
export function Toasts({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {children}
      {places().map((place, at) => (
        <Message key={at} place={place} />
      ))}
    </div>
  );
}

function Message({ place }: { readonly place: Place }) {
  const toast = useValue(place);
  if (toast === undefined) return null;
  const { text, actions = [], isBad = false, earlier } = toast;
  const dismiss = (): void => place.set(undefined);
  return (
    <div key={toast} class={isBad ? 'toast toast-bad' : 'toast'}>
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
            dismiss();
            run();
          }}
        >
          {label}
        </button>
      ))}
      <Button kind="quiet" icon="close" label="Dismiss" onClick={dismiss} />
    </div>
  );
}
