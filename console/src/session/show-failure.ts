/** Says what failed, and why. That the service was not responding is said only while that is so. */
import { untilBack } from './connection.ts';
import { isAway, toReason } from './reasons.ts';
import { showToast, dropToast } from './toasts.tsx';

/** Call after the error was noted. @param text what failed: stays true. */
export function showFailure(error: unknown, text = ''): void {
  showToast({ text: `${text} ${toReason(error)}`.trim(), isBad: true, about: error });
  if (!isAway(error)) return;
  void untilBack().then(() => {
    if (dropToast(error) && text !== '') showToast({ text, isBad: true });
  });
}
