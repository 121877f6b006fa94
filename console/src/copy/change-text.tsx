/** A change in words: who did what, and the members that differ. */
import { type Change, importPrefix, plantFields, restorePrefix, undoPrefix } from '../../../src/client/client.ts';
import { Ago } from '../ui/ago.tsx';
import { fieldLabels, FieldText } from '../ui/field-text.tsx';
import { useSession } from '../session/session.ts';
import { toOneLine } from '../ui/plant-text.tsx';

const verbs: Readonly<Record<Change['kind'], string>> = {
  created: 'added',
  replaced: 'changed',
  deleted: 'deleted',
};

export function toVerb({ kind, group = '' }: Change): string {
  const isUndo = group.startsWith(undoPrefix);
  if (kind === 'created' && (isUndo || group.startsWith(restorePrefix))) return 'restored';
  if (kind === 'created' && group.startsWith(importPrefix)) return 'imported';
  return isUndo && kind === 'replaced' ? 'undid a change of' : verbs[kind];
}

/** The name of the token that made a change. */
export function Author({ by }: { readonly by: Change['by'] | undefined }) {
  const { own } = useSession();
  if (by === undefined) return <span>Someone</span>;
  return <bdi class="author">{own?.id === by.token ? 'You' : toOneLine(by.name)}</bdi>;
}

/** Who changed a plant that is being edited, and when. */
export function IncomingText({ incoming: { kind, by, at } }: { readonly incoming: Change }) {
  return (
    <p>
      {kind === 'deleted' ? 'Deleted' : 'Changed'} by <Author by={by} /> <Ago at={at} />
    </p>
  );
}

export function Difference({ change: { plant, before } }: { readonly change: Pick<Change, 'plant' | 'before'> }) {
  if (plant === undefined) return null;
  return (
    <dl class="difference">
      {plantFields
        .filter((field) => plant[field] !== before?.[field])
        .map((field) => (
          <div key={field}>
            <dt>{fieldLabels[field]}</dt>
            <dd>
              {before !== undefined && (
                <>
                  <del>
                    <FieldText plant={before} field={field} />
                  </del>{' '}
                  <span aria-hidden="true">→ </span>
                  <span class="for-readers">now </span>
                </>
              )}
              <span>
                <FieldText plant={plant} field={field} />
              </span>
            </dd>
          </div>
        ))}
    </dl>
  );
}
