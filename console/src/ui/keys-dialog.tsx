/** The keys of the console in one dialog; those that work everywhere can be chosen in it, too. */
import { useEffect, useRef } from 'preact/hooks';
import { Observable, useValue } from '../observable.ts';
import { Button } from './button.tsx';
import { type KeyCommand, keyList } from './keys.ts';

const isOpen = new Observable(false);

export function showKeys(): void {
  isOpen.set(true);
}

export function KeysDialog({ onCommand }: { readonly onCommand: (command: KeyCommand) => void }) {
  return useValue(isOpen) ? <Dialog onCommand={onCommand} /> : null;
}

function Dialog({ onCommand }: { readonly onCommand: (command: KeyCommand) => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const close = (): void => isOpen.set(false);
  return (
    <dialog
      ref={dialog}
      class="keys-dialog"
      aria-labelledby="keys-title"
      onClose={close}
      // Escape closes it alone.
      onKeyDown={(event) => event.stopPropagation()}
      onClick={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      <div class="keys-sheet">
        <header>
          <h2 id="keys-title">Keys</h2>
          <Button kind="quiet" icon="close" label="Close" onClick={close} />
        </header>
        <ul>
          {keyList.map(({ keys, text, command }) => (
            <li key={keys}>
              <kbd>{keys}</kbd>
              {command === undefined || command === 'keys' ? (
                <span>{text}</span>
              ) : (
                <button
                  type="button"
                  onClick={() => {
                    close();
                    onCommand(command);
                  }}
                >
                  {text}
                </button>
              )}
            </li>
          ))}
        </ul>
      </div>
    </dialog>
  );
}
