/** A change in words: who did what, and the members that differ. */
import type { ComponentChildren } from 'preact';
import type { Change } from '../../../src/client/client.ts';
import { plantFields } from '../../../src/domain/plant.ts';
import { fieldLabels, FieldText } from '../plants/field-text.tsx';
import { toOneLine } from '../ui/plant-text.tsx';

export const verbs: Readonly<Record<Change['kind'], string>> = {
  created: 'added',
  replaced: 'changed',
  deleted: 'deleted',
};

/** The name of the token that made a change. */
export function Author({ by }: { readonly by: Change['by'] | undefined }) {
  return by === undefined ? <span>Someone</span> : <bdi class="author">{toOneLine(by.name)}</bdi>;
}

/** The members that a change set or removed. */
export function Difference({ change: { plant, before } }: { readonly change: Change }) {
  if (plant === undefined) return null;
  return (
    <dl class="difference">
      {plantFields
        .filter((field) => plant[field] !== before?.[field])
        .map((field) => (
          <Member key={field} label={fieldLabels[field]} before={before && <FieldText plant={before} field={field} />}>
            <FieldText plant={plant} field={field} />
          </Member>
        ))}
    </dl>
  );
}

interface MemberProps {
  readonly label: string;
  /** Undefined: the plant is new. */
  readonly before: ComponentChildren;
  readonly children: ComponentChildren;
}

function Member({ label, before, children }: MemberProps) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {before !== undefined && (
          <>
            <del>{before}</del> <span aria-hidden="true">→ </span>
            <span class="for-readers">now </span>
          </>
        )}
        <span>{children}</span>
      </dd>
    </div>
  );
}
