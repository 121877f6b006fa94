/** Says above a list that it could not be loaded, and tries again. */
import { Button } from './button.tsx';

interface FailedProps {
  /** Completes "Could not load ...". */
  readonly what: string;
  readonly reason?: string;
  readonly onRetry: () => void;
}

export function LoadFailed({ what, reason, onRetry }: FailedProps) {
  return (
    <div class="inline-alert" role="alert">
      <p>
        Could not load {what}. {reason}
      </p>
      <Button onClick={onRetry}>Try again</Button>
    </div>
  );
}
