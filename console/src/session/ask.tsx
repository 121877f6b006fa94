/** Asks before an action, in a dialog. */
import type { ComponentProps } from 'preact';
import { Observable, useValue } from '../observable.ts';
import { Modal } from '../ui/modal.tsx';
import { Question } from '../ui/question.tsx';
import { ofSession } from './session.ts';

type Asked = Pick<ComponentProps<typeof Question>, 'text' | 'yes' | 'kind' | 'onYes'>;

const asked = ofSession(() => new Observable<Asked | undefined>(undefined));

export function ask(question: Asked): void {
  asked().set(question);
}

export function AskDialog() {
  const question = useValue(asked());
  if (question === undefined) return null;
  return (
    <Modal label={question.yes} kind="ask" onClose={() => asked().set(undefined)}>
      {(close) => (
        <Question
          {...question}
          onYes={() => {
            close();
            question.onYes();
          }}
          onNo={close}
        />
      )}
    </Modal>
  );
}
