/** Asks before an action, in a dialog. */
import { useId } from 'preact/hooks';
import { Observable, useValue } from '../observable.ts';
import { Button } from '../ui/button.tsx';
import { Modal } from '../ui/modal.tsx';
import { ofSession } from './session.ts';

export interface Question {
  readonly text: string;
  readonly yes: string;
  /** `plain`: Enter does it. Default `danger`: Enter does nothing. */
  readonly kind?: 'plain' | 'danger';
  readonly onYes: () => void;
}

const asked = ofSession(() => new Observable<Question | undefined>(undefined));

export function ask(question: Question): void {
  asked().set(question);
}

export function AskDialog() {
  const id = useId();
  const question = useValue(asked());
  if (question === undefined) return null;
  const { text, yes, kind = 'danger', onYes } = question;
  return (
    <Modal label={yes} kind="ask" onClose={() => asked().set(undefined)}>
      {(close) => (
        // The dialog gives the focus to the first that can have it.
        <div class="question" role="group" aria-labelledby={id} tabIndex={kind === 'danger' ? -1 : undefined}>
          <p id={id}>{text}</p>
          <div class="managed-actions">
            <Button
              kind={kind}
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
