/** Asks before an action, in the place of its button. */
import { useLayoutEffect, useId, useRef } from 'preact/hooks';
import { Button } from './button.tsx';

interface QuestionProps {
  /** What happens then. */
  readonly text: string;
  readonly yes: string;
  readonly kind?: 'plain' | 'danger';
  readonly isBusy?: boolean;
  readonly onYes: () => void;
  readonly onNo: () => void;
}

export function Question({ text, yes, kind = 'danger', isBusy = false, onYes, onNo }: QuestionProps) {
  const id = useId();
  const group = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    // Enter must not do what is dangerous.
    const first = kind === 'danger' ? group.current : group.current?.querySelector('button');
    first?.focus();
  }, []);
  return (
    <div class="question" role="group" aria-labelledby={id} tabIndex={-1} ref={group}>
      <p id={id}>{text}</p>
      <div class="managed-actions">
        <Button kind={kind} isBusy={isBusy} onClick={onYes}>
          {yes}
        </Button>
        <Button onClick={onNo}>Cancel</Button>
      </div>
    </div>
  );
}
