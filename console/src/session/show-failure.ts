/** Says what failed, and why. That the service was not responding is said only while that is so. */
import { untilBack } from './connection.ts';
import { changedText, isAway, isChangedMeanwhile, mayBeStored, toReason } from './reasons.ts';
import { noteError } from './session.ts';
import { showToast, dropToast } from './toasts.tsx';

/** @param text what failed: stays true. */
export function showFailure(error: unknown, text = ''): void {
  noteError(error);
  showToast({ text: `${text} ${toReason(error)}`.trim(), isBad: true, about: error });
  if (!isAway(error)) return;
  void untilBack().then(() => {
    if (dropToast(error) && text !== '') showToast({ text, isBad: true });
  });
}

/**
 * Of what writes.
 * @param doing what perhaps was done if there was no response.
 * @param text what was not done.
 */
export function showNotWritten(error: unknown, doing: string, text: string): void {
  if (isChangedMeanwhile(error)) showToast({ text: `${text} ${changedText}`, isBad: true });
  else showFailure(error, isAway(error) || mayBeStored(error) ? `${doing} was interrupted.` : text);
}
