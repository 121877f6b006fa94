/** Finds tags among those in use as people mean them: whatever the capitals, the accents and the spaces. Without a browser. */
import type { TagCount } from '../../../src/client/client.ts';

export interface Suggestions {
  readonly tags: readonly TagCount[];
  /** Number of further tags that contain the text. */
  readonly more: number;
}

/** Tags that contain the text: the one that is exactly so, then the most used. The empty tag is none of them. */
export function suggestTags(text: string, tags: readonly TagCount[], most: number): Suggestions {
  const wanted = fold(text);
  const found = tags.filter(({ tag }) => tag !== '' && fold(tag).includes(wanted));
  const exact = found.filter(({ tag }) => tag === text);
  const others = found.filter(({ tag }) => tag !== text);
  const sorted = [...exact, ...others.sort((one, other) => Number(other.plants - one.plants))];
  return { tags: sorted.slice(0, most), more: Math.max(0, sorted.length - most) };
}

/** The most used tag that differs from what was typed in capitals, accents and spaces alone; undefined if that is in use itself. */
export function findSimilarTag(typed: string, tags: readonly TagCount[]): TagCount | undefined {
  const wanted = fold(typed);
  if (wanted === '' || tags.some(({ tag }) => tag === typed)) return undefined;
  const similar = tags.filter(({ tag }) => fold(tag) === wanted);
  return similar.reduce<TagCount | undefined>(
    (most, each) => (most === undefined || each.plants > most.plants ? each : most),
    undefined,
  );
}

function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[\p{M}\s]/gu, '')
    .toLowerCase();
}
