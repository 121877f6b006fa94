/** Asks before an action, in a dialog. */
import { useLayoutEffect } from 'preact/hooks';
import { Observable, useValue } from '../observable.ts';
import { Button } from '../ui/button.tsx';
import { Modal } from '../ui/modal.tsx';
import { ofSession } from './session.ts';

export interface Question {
  /** What happens then. */
  readonly text: string;
  readonly yes: string;
  /** Default: Enter does it. `danger`: so it does, of what is deleted. `final`: it cannot be undone, and Enter cancels. */
  readonly kind?: 'danger' | 'final';
  readonly onYes: () => void;
}

const asked = ofSession(() => new Observable<Question | undefined>(undefined));

export function ask(question: Question): void {
  asked().set(question);
}

export function AskDialog() {
  const question = useValue(asked());
  useLayoutEffect(() => {
    const buttons = document.querySelectorAll<HTMLElement>('.ask button');
    buttons[Number(question?.kind === 'final')]?.focus();
  }, [question]);
  if (question === undefined) return null;
  const { text, yes, kind, onYes } = question;
  return (
    <Modal label={text} kind="ask" onClose={() => asked().set(undefined)}>
      {(close) => (
        <div class="question">
          <p>{text}</p>
          <div class="managed-actions">
            <Button
              kind={kind === undefined ? 'main' : 'danger'}
              onClick={() => {
                close();
                onYes();
              }}
            >
              {yes}
            </Button>
            <Button onClick={close}>Cancel</Button>
          </div>
        </div>
      )}
    </Modal>
  );
}
