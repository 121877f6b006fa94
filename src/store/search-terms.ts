/**
 * Search terms of a plant: the words of its name and of its tag, and the tag or that it has none. Every adapter
 * indexes exactly these, so that a search returns the same plants on each.
 */
import { hash } from 'node:crypto';
import { versions } from 'node:process';
import type { Plant } from '../domain/schemas.ts';
import { isPart, isUnspaced, partCodePointsMax, toFirstWords, toWords } from '../domain/search-words.ts';
import type { ListFilter } from '../domain/store.ts';

/** Raise it with each change of `toSearchTerms`. */
const searchRules = 5;
/** Letter classes depend on the Unicode version: an index of another version is rebuilt. */
export const searchTermsVersion = `${searchRules}, Unicode ${versions['unicode']}`;

/** Maximum number of plants that a search looks at if no index knows which match: some 0.1 s. */
export const lookedAtMax = 100_000;
/** Before a word of a tag. No word begins with it. */
const tagMark = '_';
/** The term of each plant without a tag. */
export const untaggedTerm = '___n';
/** Maximum length of an escaped tag, in UTF-16 units; longer ones are indexed by hash. */
const tagLengthMax = 200;

/** Returns the words of a text from each place where a search may begin: "美人" and "人", too. */
export function toIndexedWords(text: string): string[] {
  const words = toWords(text);
  return words.some(isUnspaced) ? [...new Set(words.flatMap(toParts))] : words;
}

function toParts(word: string): string[] {
  if (!isUnspaced(word)) return [word];
  const letters = Array.from(word);
  return letters.map((_, at) => letters.slice(at, at + partCodePointsMax).join(''));
}

/** Returns whether a filter may want words. */
export function hasWords({ name, search }: ListFilter): boolean {
  return name !== undefined || search !== undefined;
}

/** What a filter wants of the terms of a plant. */
export interface WantedWord {
  /** A term must begin with one of these texts. */
  readonly beginnings: readonly string[];
  /** If present, a term that contains this text is enough. */
  readonly part?: string;
}

/** What a filter wants of the words: white space nothing, punctuation alone what no plant has. */
export function toWantedWords({ name = '', search = '' }: Pick<ListFilter, 'name' | 'search'>): WantedWord[] {
  const prefixes = toFirstWords(name);
  return [
    // "monstera" implies "mon".
    ...prefixes
      .filter((word) => !prefixes.some((other) => other !== word && other.startsWith(word)))
      .map((word) => ({ beginnings: [word] })),
    ...toFirstWords(search).map((word) => ({
      beginnings: [word, `${tagMark}${word}`],
      ...(isPart(word) ? { part: word } : {}),
    })),
  ];
}

/** Returns whether terms have what a filter wants. */
export function hasWord(terms: readonly string[], { beginnings, part }: WantedWord): boolean {
  return terms.some((term) =>
    part === undefined ? beginnings.some((beginning) => term.startsWith(beginning)) : term.includes(part),
  );
}

/** Returns the term of a tag: one of its own. "__" separates it from words. */
export function toTagTerm(tag: string): string {
  const escaped = tag.replaceAll(/[\x00-\x2f\x3a-\x60\x7b-\x7f]/g, (character) => `_${toHex(character)}`);
  // Escapes are "_" and two hexadecimal digits, so none begins with "_z".
  return escaped.length <= tagLengthMax ? `__${escaped}` : `___z${hash('sha256', tag)}`;
}

/** Returns the distinct words of the name, and of the tag with a mark. */
export function toWordTerms({ name, tag }: Plant): string[] {
  return tag === undefined ? toIndexedWords(name) : [...toIndexedWords(name), ...toTagTerms(tag).words];
}

/** Returns the distinct terms of a plant: lower-case letters, digits, underscores, non-ASCII. */
export function toSearchTerms({ name, tag }: Plant): string[] {
  if (tag === undefined) return [...toIndexedWords(name), untaggedTerm];
  const { words, whole } = toTagTerms(tag);
  return [...toIndexedWords(name), ...words, whole];
}

interface TagTerms {
  readonly tag: string;
  readonly words: readonly string[];
  readonly whole: string;
}

let last: TagTerms | undefined;

/** Keeps the last ones: neighbours in an import often have one tag. Measured: 1.5 us a plant in place of 2.3. */
function toTagTerms(tag: string): TagTerms {
  if (last?.tag !== tag)
    last = { tag, words: toIndexedWords(tag).map((word) => `${tagMark}${word}`), whole: toTagTerm(tag) };
  return last;
}

function toHex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(2, '0');
}
