/** A change in words: who did what, and the members that differ. */
import type { ComponentChildren } from 'preact';
import { PlantName, TagChip, toOneLine } from '../ui/plant-text.tsx';
import type { Change } from '../../../src/client/client.ts';

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
      {plant.name !== before?.name && (
        <Member label="Name" before={before && <PlantName name={before.name} />}>
          <PlantName name={plant.name} />
        </Member>
      )}
      {plant.tag !== before?.tag && (
        <Member label="Tag" before={before && <Tag tag={before.tag} />}>
          <Tag tag={plant.tag} />
        </Member>
      )}
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

function Tag({ tag }: { readonly tag: string | undefined }) {
  return tag === undefined ? <span class="no-text">no tag</span> : <TagChip tag={tag} />;
}
