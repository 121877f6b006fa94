/** Finds tags among those in use as people mean them: whatever the capitals, the accents and the spaces. Without a browser. */
import { fold, type TagCount } from '../../../src/client/client.ts';

/** Tags that contain the text: the one that is exactly so, those that begin with it, then the most used. The empty tag is none of them. */
export function suggestTags(text: string, tags: readonly TagCount[]): readonly TagCount[] {
  const wanted = foldTag(text);
  const rank = ({ tag }: TagCount): number => (tag === text ? 0 : foldTag(tag).startsWith(wanted) ? 1 : 2);
  return tags
    .filter(({ tag }) => tag !== '' && foldTag(tag).includes(wanted))
    .sort((one, other) => rank(one) - rank(other) || byUse(one, other));
}

/** The most used tag that differs from what was typed in capitals, accents and spaces alone; undefined if that is in use itself. */
export function findSimilarTag(typed: string, tags: readonly TagCount[]): TagCount | undefined {
  const wanted = foldTag(typed);
  if (wanted === '' || tags.some(({ tag }) => tag === typed)) return undefined;
  return tags.filter(({ tag }) => foldTag(tag) === wanted).sort(byUse)[0];
}

export interface ListedTag extends TagCount {
  /** Without capitals, accents and spaces. */
  readonly folded: string;
  /** There are others that differ in these alone, which follow the first. */
  readonly variant: 'first' | 'other' | undefined;
  /** As it is better written: like the most used of its variants, without spaces around it. Undefined: as it is. */
  readonly better: string | undefined;
}

/** Sorted by what people read, with those first that are written in several ways. */
export function listTags(tags: readonly TagCount[]): readonly ListedTag[] {
  const groups = [...Map.groupBy(tags, ({ tag }) => foldTag(tag))].map(([folded, variants]) => {
    const best = variants.toSorted(byUse)[0]?.tag.trim() ?? '';
    const kinds = variants.length > 1 ? (['first', 'other'] as const) : [];
    return variants.map((each, at) => ({
      ...each,
      folded,
      variant: kinds[Math.min(at, 1)],
      better: best === '' || best === each.tag ? undefined : best,
    }));
  });
  const isFirst = ([one]: readonly ListedTag[]): number => (one?.variant === undefined ? 1 : 0);
  return groups
    .sort((one, other) => isFirst(one) - isFirst(other) || byText.compare(one[0]?.folded ?? '', other[0]?.folded ?? ''))
    .flat();
}

const byText = new Intl.Collator('en', { numeric: true });

const byUse = (one: TagCount, other: TagCount): number => Number(other.plants - one.plants);

/** Without capitals, accents and spaces. */
export function foldTag(tag: string): string {
  return fold(tag).replaceAll(/\s/g, '');
}
