/** Names and tags of plants: any text at all, shown so that it can neither vanish nor disturb what stands around it. */

export function PlantName({ name }: { readonly name: string }) {
  if (name === '') return <span class="no-text">no name</span>;
  return <bdi class="plant-name">{name}</bdi>;
}

/** Kinds of dots that tell tags apart; the stylesheet gives each its colour. */
const dotCount = 8;

export function TagChip({ tag }: { readonly tag: string | undefined }) {
  if (tag === undefined) return null;
  return (
    <span class="tag">
      <span class={`tag-dot tag-dot-${toDot(tag)}`} aria-hidden="true" />
      {tag === '' ? <span class="no-text">empty tag</span> : <bdi>{tag}</bdi>}
    </span>
  );
}

export function TagDot({ tag }: { readonly tag: string }) {
  return <span class={`tag-dot tag-dot-${toDot(tag)}`} aria-hidden="true" />;
}

/** The same tag has the same dot, everywhere and always. */
function toDot(tag: string): number {
  let sum = 7;
  for (let at = 0; at < tag.length; at++) sum = (sum * 31 + tag.charCodeAt(at)) % 65_521;
  return sum % dotCount;
}

/** Whether the plant is named, for sentences: `“Monstera”`, or `the plant without a name`. */
export function toQuoted(name: string): string {
  if (name === '') return 'the plant without a name';
  return `“${name.length > 60 ? `${name.slice(0, 58)}…` : name}”`;
}
