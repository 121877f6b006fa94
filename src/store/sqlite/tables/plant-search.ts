/** Turns a filter into a full-text query of the search index. search-tokens.ts makes the tokens. */
import type { DatabaseSync } from 'node:sqlite';
import type { PlantFilter } from '../../../domain/store.ts';
import { toTagToken, toWantedWords } from '../../search-tokens.ts';

/**
 * Maximum number of indexed words that a prefix is expanded to; each is read from the start of the
 * page. Beyond, FTS5 collects all matches of the prefix in memory (measured: 0.8 us per match),
 * unless the prefix is short enough to be indexed itself.
 */
const termsMax = 32;
/** Longest indexed prefix, in characters. */
const indexedPrefixMax = 3;

/** Returns the query of a filter; undefined if every plant matches. */
export type ToMatch = (filter: PlantFilter) => string | undefined;

/** @throws Error if the index is missing. */
export function preparePlantSearch(db: DatabaseSync): ToMatch {
  // One row per word and plant, ordered by word: one index lookup finds the first row from a word
  // on.
  db.exec("CREATE VIRTUAL TABLE temp.plant_terms USING fts5vocab('main', 'plant_words', 'instance')");
  const selectTerm = db.prepare('SELECT term FROM temp.plant_terms WHERE term >= ? LIMIT 1');
  const findTerms = (prefix: string): string[] | undefined => {
    const terms: string[] = [];
    for (let from = prefix; ;) {
      const term = selectTerm.get(from)?.['term'];
      if (typeof term !== 'string' || !term.startsWith(prefix)) return terms;
      if (terms.length === termsMax) return undefined;
      terms.push(term);
      // No term has a character below "0", so this sorts before any longer term.
      from = `${term}\u0001`;
    }
  };
  const toExpression = (word: string): string => {
    const terms = Array.from(word).length <= indexedPrefixMax ? undefined : findTerms(word);
    if (terms === undefined) return `"${word}" *`;
    // A query needs a term; this one finds no plant.
    return terms.length === 0 ? `"${word}"` : `(${terms.map((term) => `"${term}"`).join(' OR ')})`;
  };
  return ({ name, tag }) => {
    const expressions = name === undefined ? [] : toWantedWords(name).map(toExpression);
    if (tag !== undefined) expressions.push(`"${toTagToken(tag)}"`);
    return expressions.length === 0 ? undefined : expressions.join(' AND ');
  };
}
