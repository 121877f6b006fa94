/** Notes above the fields of a form. */
import { useValue } from '../observable.ts';
import { navigate } from '../route.ts';
import { connection } from '../session/connection.ts';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { IncomingText } from '../copy/change-text.tsx';
import { toQuoted } from '../ui/plant-text.tsx';
import type { ShownEditor } from '../form/use-editor.ts';

export function EditorNotes({ editor }: { readonly editor: ShownEditor }) {
  const { canRead, canWrite } = useSession();
  const { isAway } = useValue(connection);
  const { state, message, isRestored, isDirty, discard, added, savedName, goBack, showsNext } = editor;
  return (
    <>
      <div role="status">
        {added !== undefined && (
          <p class="note note-good" key={String(added.id)}>
            <span>
              {String(added.id)} {toQuoted(added.name)} added.
            </span>
            {canRead && (
              <Button kind="quiet" onClick={() => navigate({ plant: added.id })}>
                Open
              </Button>
            )}
          </p>
        )}
      </div>
      {!canWrite && (
        <div class="note">
          <Icon name="key" />
          <p>Read only: this token cannot change plants.</p>
        </div>
      )}
      {state === 'waiting' && (
        <div class="note note-warn" role="status">
          <Icon name="offline" />
          <p>{toQuoted(savedName)} is not saved yet: the service is not responding. It will be saved automatically.</p>
        </div>
      )}
      {message !== undefined && (
        <div class="note note-bad" role="alert">
          <Icon name="alert" />
          <p>
            {showsNext && `${toQuoted(savedName)} was not saved. `}
            {message}
          </p>
          {state === 'failed' && !isAway && (
            <Button kind="quiet" onClick={discard}>
              Try again
            </Button>
          )}
          {showsNext && (
            <Button kind="quiet" onClick={goBack}>
              Open
            </Button>
          )}
        </div>
      )}
      {isRestored && isDirty && state === 'ready' && !isAway && (
        <div class="note" role="status">
          <Icon name="edit" />
          <p>You have unsaved changes from earlier.</p>
          <Button kind="quiet" onClick={discard}>
            Discard
          </Button>
        </div>
      )}
    </>
  );
}

/** The plant was changed elsewhere while the form is open. Below the fields, so that nothing moves. */
export function IncomingNote({ editor: { incoming, loadStored } }: { readonly editor: ShownEditor }) {
  return (
    <div role="status">
      {incoming !== undefined && (
        <div class="note note-warn note-incoming">
          <IncomingText incoming={incoming} />
          <Button kind="quiet" onClick={() => void loadStored()}>
            {incoming.kind === 'deleted' ? 'Show' : 'Load it'}
          </Button>
        </div>
      )}
    </div>
  );
}
