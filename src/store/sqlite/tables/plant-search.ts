/** Turns a filter into a full-text query of the search index. search-tokens.ts makes the tokens. */
import type { DatabaseSync } from 'node:sqlite';
import type { StoredPlant } from '../../../domain/schemas.ts';
import type { PlantFilter } from '../../../domain/store.ts';
import { toPrefixRange } from '../../prefix-range.ts';
import {
  fewWords,
  hasWord,
  listedWordsMax,
  toLookedUp,
  toTagToken,
  toWantedWords,
  toWordTokens,
  untaggedToken,
  type WantedWord,
  wordOfNone,
} from '../../search-tokens.ts';
import { prepareRows, type Row, toText } from './values.ts';

/**
 * Maximum number of indexed words that a prefix is expanded to; each is read from the start of the
 * page. Beyond, FTS5 collects all matches of the prefix in memory (measured: 0.8 us per match),
 * unless the prefix is short enough to be indexed itself.
 */
const termsMax = 32;
/** Longest indexed prefix, in characters. */
const indexedPrefixMax = 3;

export interface PlantQuery {
  /** What the index is asked; undefined: every plant is looked at. */
  readonly match: string | undefined;
  /** What the index does not know; undefined if it finds exactly the plants that match. */
  readonly isWanted: ((plant: StoredPlant) => boolean) | undefined;
}

/** Returns the query of a filter. */
export type ToQuery = (filter: PlantFilter) => PlantQuery;

/** @throws Error if the index is missing. */
export function preparePlantSearch(db: DatabaseSync): ToQuery {
  const selectBeginning = prepareRows(db, 'SELECT word FROM search_words WHERE word >= ? AND word < ? LIMIT ?');
  const selectContaining = prepareRows(db, 'SELECT word FROM search_words WHERE instr(word, ?) > 0 LIMIT ?');
  const toWords = (rows: readonly Row[]): string[] => rows.map((row) => toText(row[0]));
  const toPrefix = (beginning: string): string => {
    const { from, to } = toPrefixRange(beginning);
    const isIndexed = Array.from(beginning).length <= indexedPrefixMax || to === undefined;
    const words = isIndexed ? undefined : toWords(selectBeginning.all(from, to, termsMax + 1));
    return words === undefined || words.length > termsMax ? `"${beginning}" *` : toAny(words);
  };
  return (filter) => {
    const expressions: string[] = filter.tag === undefined ? [] : [`"${toTagToken(filter.tag)}"`];
    if (filter.untagged === true) expressions.push(`"${untaggedToken}"`);
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
      const most = best?.words.length ?? listedWordsMax;
      const words = lookedUp.includes(part) ? toWords(selectContaining.all(part, most + 1)) : undefined;
      if (words !== undefined && words.length <= fewWords) expressions.push(toAny(words));
      else others.push(word);
      if (words !== undefined && words.length > fewWords && words.length <= most) best = { of: word, words };
    }
    if (expressions.length > 0 || best === undefined) return toPlantQuery(expressions, others);
    const { of, words } = best;
    return toPlantQuery(
      [toAny(words)],
      others.filter((word) => word !== of),
    );
  };
}

/**
 * Several expressions may find nothing in all plants, which FTS5 does in one step; of few words,
 * it is a short one. With many, it compares each plant of a word with all of them: the index is
 * asked for one such part alone, and the plants for the others.
 */
function toPlantQuery(expressions: readonly string[], others: readonly WantedWord[]): PlantQuery {
  return {
    match: expressions.length === 0 ? undefined : expressions.join(' AND '),
    isWanted: others.length === 0 ? undefined : toCheck(others),
  };
}

/** A query needs a term. */
function toAny(words: readonly string[]): string {
  return words.length === 0 ? `"${wordOfNone}"` : `(${words.map((word) => `"${word}"`).join(' OR ')})`;
}

/** Most texts are ASCII, and need no tokens to say no: 1 us in place of 4. */
function toCheck(wanted: readonly WantedWord[]): (plant: StoredPlant) => boolean {
  return (plant) => {
    const text = `${plant.name} ${plant.tag ?? ''}`.toLowerCase();
    if (/^[\x00-\x7f]*$/.test(text) && !wanted.every(({ part = '' }) => text.includes(part))) return false;
    const tokens = toWordTokens(plant);
    return wanted.every((word) => hasWord(tokens, word));
  };
}
