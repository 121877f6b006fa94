/** Turns a filter into a full-text query of the search index. Which tokens a plant has is decided in search-tokens.ts. */
import type { DatabaseSync } from 'node:sqlite';
import type { PlantFilter } from '../../../domain/store.ts';
import { toTagToken, toWantedWords } from '../../search-tokens.ts';

/**
 * Most indexed words that a searched word may begin to be searched one by one: each is read from where the page begins. Beyond, FTS5 gathers
 * all matches of the prefix first, in memory (measured: 0.8 us a match), unless the prefix is short enough to be indexed itself.
 */
const termsMax = 32;
/** Longest prefix that the index has, in characters. */
const indexedPrefixMax = 3;

/** Returns the query of a filter; undefined when every plant matches. */
export type ToMatch = (filter: PlantFilter) => string | undefined;

/** @throws Error when the index is missing. */
export function preparePlantSearch(db: DatabaseSync): ToMatch {
  // One row for each word and plant, in the order of words: reading the first from a word on costs one step down the index.
  db.exec("CREATE VIRTUAL TABLE temp.plant_terms USING fts5vocab('main', 'plant_words', 'instance')");
  const selectTerm = db.prepare('SELECT term FROM temp.plant_terms WHERE term >= ? LIMIT 1');
  const findTerms = (prefix: string): string[] | undefined => {
    const terms: string[] = [];
    for (let from = prefix; ;) {
      const term = selectTerm.get(from)?.['term'];
      if (typeof term !== 'string' || !term.startsWith(prefix)) return terms;
      if (terms.length === termsMax) return undefined;
      terms.push(term);
      // No term has a character below "0", so that this sorts before every longer one.
      from = `${term}\u0001`;
    }
  };
  const toExpression = (word: string): string => {
    const terms = Array.from(word).length <= indexedPrefixMax ? undefined : findTerms(word);
    if (terms === undefined) return `"${word}" *`;
    // A query must name a term; one that no plant has finds none.
    return terms.length === 0 ? `"${word}"` : `(${terms.map((term) => `"${term}"`).join(' OR ')})`;
  };
  return ({ name, tag }) => {
    const expressions = name === undefined ? [] : toWantedWords(name).map(toExpression);
    if (tag !== undefined) expressions.push(`"${toTagToken(tag)}"`);
    return expressions.length === 0 ? undefined : expressions.join(' AND ');
  };
}
