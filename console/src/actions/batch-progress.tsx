/** How far a batch has come, beside the messages of the page: it goes on in every view. */
import { toGrouped } from '../ui/numbers.ts';
import { useRunningBatch } from './run-batch.ts';

export function BatchProgress() {
  const now = useRunningBatch();
  if (now === undefined) return null;
  const { doing, read, total } = now;
  return (
    <div class="toast toast-running">
      <p>
        {doing}… {/* Screen readers hear that it has begun, and how it ends. */}
        <span aria-hidden="true">
          {toGrouped(read)}
          {total !== undefined && ` of ${toGrouped(total)}`}
        </span>
      </p>
    </div>
  );
}
