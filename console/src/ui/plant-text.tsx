/** Names and tags of plants: any text at all, shown so that it can neither vanish nor disturb what stands around it. */
import { toLatinParts } from './latin-parts.ts';
import { toGrouped } from './numbers.ts';
import { dotOf } from './tag-dots.ts';

interface NameProps {
  readonly name: string;
  /** Keeps line breaks. Default: one line, with a sign for each break. */
  readonly hasLines?: boolean;
}

export function PlantName({ name, hasLines = false }: NameProps) {
  if (name === '') return <span class="no-text">no name</span>;
  return (
    <bdi class="plant-name">
      <LatinText text={hasLines ? name : toOneLine(name)} />
    </bdi>
  );
}

/** With botanical names in italics. */
export function LatinText({ text }: { readonly text: string }) {
  return <>{toLatinParts(text).map((part, at) => (at % 2 === 0 ? part : <i>{part}</i>))}</>;
}

export function TagChip({ tag }: { readonly tag: string | undefined }) {
  if (tag === undefined) return null;
  return (
    <span class="tag">
      <TagDot tag={tag} />
      {tag === '' ? <span class="no-text">empty tag</span> : <bdi>{toOneLine(tag)}</bdi>}
    </span>
  );
}

/** @param tag null: plants without a tag. */
export function CountedTag({ tag, plants }: { readonly tag: string | null; readonly plants: bigint | number }) {
  return (
    <>
      {tag === null ? <span class="tag-dot" /> : <TagDot tag={tag} />}
      {tag === null ? <span class="cut no-text">no tag</span> : <bdi class="cut">{toOneLine(tag)}</bdi>}
      <span class="soft small">
        {toGrouped(plants)}
        <span class="for-readers"> {BigInt(plants) === 1n ? 'plant' : 'plants'}</span>
      </span>
    </>
  );
}

export function TagDot({ tag }: { readonly tag: string }) {
  const { color, shape } = dotOf(tag);
  return <span class={`tag-dot tag-dot-${shape}`} style={{ color }} aria-hidden="true" />;
}

/** A plant's name, for sentences: `“Monstera”`, or `the plant without a name`. */
export function toQuoted(name: string): string {
  if (name === '') return 'the plant without a name';
  // Without what sets the direction of text: it would turn the rest of the sentence around.
  const letters = [...name.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')];
  return `“${letters.length > 60 ? `${letters.slice(0, 58).join('')}…` : letters.join('')}”`;
}

export function toOneLine(text: string): string {
  return text.replaceAll(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/g, '↵');
}
