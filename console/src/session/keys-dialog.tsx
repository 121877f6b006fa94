/** The keys of the console in one dialog; those that work everywhere can be chosen in it, too. */
import { Observable, useValue } from '../observable.ts';
import { type CommandName, commands, listKeys } from '../ui/keys.ts';
import { TitledModal } from '../ui/modal.tsx';
import { ofSession } from './session.ts';

const isOpen = ofSession(() => new Observable(false));

export function showKeys(): void {
  isOpen().set(true);
}

export function KeysDialog({ onCommand }: { readonly onCommand: (command: CommandName) => void }) {
  if (!useValue(isOpen())) return null;
  return (
    <TitledModal label="Keys" kind="keys-dialog" onClose={() => isOpen().set(false)}>
      {(close) => (
        <ul>
          {commands.map(({ name, key, text }) =>
            key === undefined || name === 'keys' ? null : (
              <li key={key}>
                <kbd>{key}</kbd>
                <button
                  type="button"
                  onClick={() => {
                    close();
                    onCommand(name);
                  }}
                >
                  {text}
                </button>
              </li>
            ),
          )}
          {listKeys.map(({ key, text }) => (
            <li key={key}>
              <kbd>{key}</kbd>
              <span>{text}</span>
            </li>
          ))}
        </ul>
      )}
    </TitledModal>
  );
}
