/** Asks before an action, in a dialog. */
import type { ComponentProps } from 'preact';
import { Observable, useValue } from '../observable.ts';
import { Modal } from './modal.tsx';
import { Question } from './question.tsx';

type Asked = Pick<ComponentProps<typeof Question>, 'text' | 'yes' | 'kind' | 'onYes'>;

const asked = new Observable<Asked | undefined>(undefined);

export function ask(question: Asked): void {
  asked.set(question);
}

export function AskDialog() {
  const question = useValue(asked);
  if (question === undefined) return null;
  return (
    <Modal label={question.yes} kind="ask" onClose={() => asked.set(undefined)}>
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
