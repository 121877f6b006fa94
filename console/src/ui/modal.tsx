/** A dialog that the page waits for, until Escape, a click beside it or what is in it closes it. The focus goes back to where it was. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.tsx';

interface ModalProps {
  readonly label: string;
  readonly kind: 'keys-dialog' | 'export-dialog' | 'ask' | 'side-panel';
  readonly onClose: () => void;
  readonly children: (close: () => void) => ComponentChildren;
}

export function Modal({ label, kind, onClose, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const close = (): void => dialog.current?.close();
  return (
    <dialog
      ref={dialog}
      class={`modal ${kind}`}
      aria-label={label}
      onClose={onClose}
      // Escape closes it alone.
      onKeyDown={(event) => event.stopPropagation()}
      onClick={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      {children(close)}
    </dialog>
  );
}

export function TitledModal({ children, ...modal }: ModalProps) {
  return (
    <Modal {...modal}>
      {(close) => (
        <>
          <header class="modal-head">
            <h2>{modal.label}</h2>
            <Button kind="quiet" icon="close" label="Close" onClick={close} />
          </header>
          {children(close)}
        </>
      )}
    </Modal>
  );
}
