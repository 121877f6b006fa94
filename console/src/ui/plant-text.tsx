/** Names and tags of plants: any text at all, shown so that it can neither vanish nor disturb what stands around it. */
import { dotOf } from './tag-dots.ts';

export function PlantName({ name }: { readonly name: string }) {
  if (name === '') return <span class="no-text">no name</span>;
  return <bdi class="plant-name">{name}</bdi>;
}

export function TagChip({ tag }: { readonly tag: string | undefined }) {
  if (tag === undefined) return null;
  return (
    <span class="tag">
      <span class={`tag-dot tag-dot-${dotOf(tag)}`} aria-hidden="true" />
      {tag === '' ? <span class="no-text">empty tag</span> : <bdi>{tag}</bdi>}
    </span>
  );
}

export function TagDot({ tag }: { readonly tag: string }) {
  return <span class={`tag-dot tag-dot-${dotOf(tag)}`} aria-hidden="true" />;
}

/** Whether the plant is named, for sentences: `“Monstera”`, or `the plant without a name`. */
export function toQuoted(name: string): string {
  if (name === '') return 'the plant without a name';
  return `“${name.length > 60 ? `${name.slice(0, 58)}…` : name}”`;
}
