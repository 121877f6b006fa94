/** The keys of the console in one dialog. */
import { Observable, useValue } from '../observable.ts';
import { listKeys, pageKeys } from '../ui/keys.ts';
import { TitledModal } from '../ui/modal.tsx';
import { ofSession } from './session.ts';

const isOpen = ofSession(() => new Observable(false));

export function showKeys(): void {
  isOpen().set(true);
}

export function KeysDialog() {
  if (!useValue(isOpen())) return null;
  return (
    <TitledModal label="Keys" kind="keys-dialog" onClose={() => isOpen().set(false)}>
      {() => (
        <ul>
          {[...pageKeys, ...listKeys].map(({ key, text }) => (
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
