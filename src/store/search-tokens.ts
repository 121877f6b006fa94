/**
 * The tokens under which a plant is found: the words of its name and its tag. Every adapter indexes these and nothing else, so that the
 * same search finds the same plants on each.
 */
import { hash } from 'node:crypto';
import { versions } from 'node:process';
import type { Plant } from '../domain/schemas.ts';

/**
 * By which rules tokens are made: the first number is raised with each change of `toSearchTokens`, and what is a letter depends on the runtime.
 * An index that was made by other rules is rebuilt.
 */
export const searchTokensVersion = `1, Unicode ${versions['unicode']}`;

/** Longest word, in code points; the rest of a longer one is not compared. */
const wordCodePointsMax = 100;
/** Maximum words of one search that are looked up; each further one is ignored. */
const wantedWordsMax = 32;
/** Longest escaped tag, in UTF-16 units; a longer one is indexed by its hash. */
const tagLengthMax = 200;

/** White space, control characters and punctuation separate words, and in ASCII everything but letters and digits. */
const separators = /[\s\p{Z}\p{Cc}\p{P}\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+/u;

/**
 * The distinct words of a name, or of a search, without case and accents: canonical decomposition less combining marks and format
 * characters (UAX #15), then lower, upper and again lower case, which folds what one of them alone keeps apart ("ß", "ẞ" and "SS" -> "ss").
 */
export function toWords(text: string): string[] {
  // Most names are ASCII and need no folding.
  const folded = /^[\x00-\x7f]*$/.test(text) ? text.toLowerCase() : fold(text);
  const words = folded.split(separators).filter((word) => word !== '');
  return [...new Set(words.map(shorten))];
}

/**
 * The words that a plant must have, of a search: distinct, at most 32, and none that another one implies ("mon" is implied by "monstera").
 * Each must begin a word of the name.
 */
export function toWantedWords(text: string): string[] {
  const words = toWords(text).slice(0, wantedWordsMax);
  return words.filter((word) => !words.some((other) => other !== word && other.startsWith(word)));
}

/** The token of a tag, equal for equal tags only. Its two underscores keep it apart from words. */
export function toTagToken(tag: string): string {
  const escaped = tag.replaceAll(/[\x00-\x2f\x3a-\x60\x7b-\x7f]/g, (character) => `_${toHex(character)}`);
  // An escaped character is "_" and two hexadecimal digits, so that "_z" cannot begin one.
  return escaped.length <= tagLengthMax ? `__${escaped}` : `___z${hash('sha256', tag)}`;
}

/** The distinct tokens of a plant: ASCII letters in lower case, digits, underscores and characters beyond ASCII. */
export function toSearchTokens({ name, tag }: Plant): string[] {
  const words = toWords(name);
  return tag === undefined ? words : [...words, toTagToken(tag)];
}

function fold(text: string): string {
  const letters = text.normalize('NFD').replaceAll(/[\p{M}\p{Cf}]/gu, '');
  // Lower case ends a word in "ς" where it has "σ" elsewhere: the beginning of a word must begin the word.
  return letters.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

function shorten(word: string): string {
  return word.length <= wordCodePointsMax ? word : Array.from(word).slice(0, wordCodePointsMax).join('');
}

function toHex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(2, '0');
}
