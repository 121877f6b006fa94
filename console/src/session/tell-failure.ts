/** Shows why a request about webhooks or tokens failed. */
import { showToast } from '../ui/toasts.tsx';
import { noteFailure } from './note-failure.ts';
import { toReason } from './reasons.ts';

export function tellFailure(error: unknown): void {
  noteFailure(error);
  showToast({ text: toReason(error), isBad: true });
}
