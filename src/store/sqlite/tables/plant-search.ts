/** Turns a filter into a full-text query of the search index. search-terms.ts makes the terms. */
import type { DatabaseSync } from 'node:sqlite';
import type { StoredPlant } from '../../../domain/schemas.ts';
import { wordOfNone } from '../../../domain/search-words.ts';
import type { ListFilter } from '../../../domain/store.ts';
import { hasWord, toTagTerm, toWantedWords, toWordTerms, untaggedTerm, type WantedWord } from '../../search-terms.ts';
import { Words } from './words.ts';

/** Maximum number of parts of a search that are looked up, each in all words; plants are asked for the others. */
const lookedUpMax = 4;
/** Words of a part that the index is asked for together with other words at little cost. */
const fewWords = 16;
/** Longest indexed prefix, in characters. */
const indexedPrefixMax = 3;

export interface IndexQuery {
  /** What the index is asked; undefined: every plant is looked at. */
  readonly match: string | undefined;
  /** What the index does not know; undefined if it finds exactly the plants that match. */
  readonly isWanted: ((plant: StoredPlant) => boolean) | undefined;
}

/** Returns the query of a filter. */
export type ToQuery = (filter: ListFilter) => IndexQuery;

/** @throws Error if the index is missing. */
export function preparePlantSearch(db: DatabaseSync): ToQuery {
  const words = new Words(db);
  const toPrefix = (beginning: string): string => {
    const isIndexed = Array.from(beginning).length <= indexedPrefixMax;
    const found = isIndexed ? undefined : words.beginningWith(beginning);
    return found === undefined ? `"${beginning}" *` : toAny(found);
  };
  return function toQuery(filter) {
    const expressions: string[] = filter.tag === undefined ? [] : [`"${toTagTerm(filter.tag)}"`];
    if (filter.untagged === true) expressions.push(`"${untaggedTerm}"`);
    const others: WantedWord[] = [];
    const wanted = toWantedWords(filter);
    const lookedUp = toLookedUp(wanted);
    /** The part in the fewest words, if these are not few. */
    let best: { readonly of: WantedWord; readonly words: readonly string[] } | undefined;
    for (const word of wanted) {
      const { beginnings, part } = word;
      if (part === undefined) {
        expressions.push(`(${beginnings.map(toPrefix).join(' OR ')})`);
        continue;
      }
      const found = lookedUp.includes(part) ? words.containing(part) : undefined;
      if (found !== undefined && found.length <= fewWords) {
        expressions.push(toAny(found));
        continue;
      }
      others.push(word);
      if (found !== undefined && found.length <= (best?.words.length ?? Infinity)) best = { of: word, words: found };
    }
    if (expressions.length > 0 || best === undefined) return toIndexQuery(expressions, others);
    const { of, words: ofBest } = best;
    return toIndexQuery(
      [toAny(ofBest)],
      others.filter((word) => word !== of),
    );
  };
}

/** The longest parts, which the fewest words contain. */
function toLookedUp(wanted: readonly WantedWord[]): readonly string[] {
  const parts = wanted.flatMap(({ part }) => part ?? []);
  return parts.toSorted((one, other) => other.length - one.length).slice(0, lookedUpMax);
}

/**
 * FTS5 finds all plants of the expressions in one step, which cannot be interrupted. It is short if
 * each expression has few words. A part that is in many words is therefore asked for alone, and each
 * plant that it finds is compared with the other parts.
 */
function toIndexQuery(expressions: readonly string[], others: readonly WantedWord[]): IndexQuery {
  return {
    match: expressions.length === 0 ? undefined : expressions.join(' AND '),
    isWanted: others.length === 0 ? undefined : toCheck(others),
  };
}

/** A query needs a term. */
function toAny(words: readonly string[]): string {
  return words.length === 0 ? `"${wordOfNone}"` : `(${words.map((word) => `"${word}"`).join(' OR ')})`;
}

/** Most texts are ASCII, and need no terms to say no: 1 us in place of 4. */
function toCheck(wanted: readonly WantedWord[]): (plant: StoredPlant) => boolean {
  return (plant) => {
    const text = `${plant.name} ${plant.tag ?? ''}`.toLowerCase();
    if (/^[\x00-\x7f]*$/.test(text) && !wanted.every(({ part = '' }) => text.includes(part))) return false;
    const terms = toWordTerms(plant);
    return wanted.every((word) => hasWord(terms, word));
  };
}
