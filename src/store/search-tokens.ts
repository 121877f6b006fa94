/**
 * Search tokens of a plant: the words of its name, and its tag. Every adapter indexes exactly
 * these, so that a search returns the same plants on each.
 */
import { hash } from 'node:crypto';
import { versions } from 'node:process';
import type { Plant } from '../domain/schemas.ts';
import { unspaced } from '../domain/unspaced.ts';

/**
 * Version of the token rules. Raise the number with each change of `toSearchTokens`; letter classes
 * depend on the runtime's Unicode version. An index of another version is rebuilt.
 */
export const searchTokensVersion = `3, Unicode ${versions['unicode']}`;

/** Maximum compared length of a word, in code points. */
const wordCodePointsMax = 100;
/** Maximum compared length of a part of an unspaced word, in code points. */
const partCodePointsMax = 8;
/** Maximum number of words in a search; further ones are ignored. */
const wantedWordsMax = 32;
/** Begins no word and no token of a tag. */
const wordOfNone = '_0';
/** Maximum length of an escaped tag, in UTF-16 units; longer ones are indexed by hash. */
const tagLengthMax = 200;

/**
 * A word: neither white space, control characters, punctuation nor symbols, and unspaced letters
 * apart from others; or one symbol beyond ASCII, so that "piperita" finds "×piperita", and "🌵"
 * finds "🌵Cactus".
 */
const wordPattern = new RegExp(
  `${unspaced.source}+|[^\\p{Z}\\p{Cc}\\p{P}\\p{S}${unspaced.source}]+|[\\p{S}--\\p{ASCII}]`,
  'gv',
);
const asciiWordPattern = /[a-z0-9]+/g;

/**
 * Returns the distinct words of a name or a search, without case and accents. Decomposes, drops
 * combining marks and format characters (UAX #15), then folds case by lower, upper, lower: any one
 * alone keeps "ß", "ẞ" and "SS" apart.
 */
export function toWords(text: string): string[] {
  // Most names are ASCII and need no folding.
  const isAscii = /^[\x00-\x7f]*$/.test(text);
  const words = isAscii ? text.toLowerCase().match(asciiWordPattern) : fold(text).match(wordPattern);
  return [...new Set((words ?? []).map((word) => shorten(word, wordCodePointsMax)))];
}

/**
 * Returns the words of a name with all places where a search may begin: of "月下美人", also
 * "下美人", "美人" and "人".
 */
export function toNameWords(name: string): string[] {
  const words = toWords(name);
  return words.some(isUnspaced) ? [...new Set(words.flatMap(toParts))] : words;
}

function isUnspaced(word: string): boolean {
  return unspaced.test(word);
}

function toParts(word: string): string[] {
  if (!isUnspaced(word)) return [word];
  const letters = Array.from(word);
  return letters.map((_, at) => letters.slice(at, at + partCodePointsMax).join(''));
}

/**
 * Returns the words of a search: distinct, at most 32, without prefixes of other ones ("monstera"
 * implies "mon"). Each must be a prefix of a word of the name. White space asks for nothing; a
 * text of punctuation asks for what no name has.
 */
export function toWantedWords(text: string): string[] {
  const words = toWords(text)
    .slice(0, wantedWordsMax)
    .map((word) => (isUnspaced(word) ? shorten(word, partCodePointsMax) : word));
  if (words.length === 0) return text.trim() === '' ? [] : [wordOfNone];
  return words.filter((word) => !words.some((other) => other !== word && other.startsWith(word)));
}

/**
 * Returns the token of a tag; different tags have different tokens. "__" separates it from words.
 */
export function toTagToken(tag: string): string {
  const escaped = tag.replaceAll(/[\x00-\x2f\x3a-\x60\x7b-\x7f]/g, (character) => `_${toHex(character)}`);
  // Escapes are "_" and two hexadecimal digits, so none begins with "_z".
  return escaped.length <= tagLengthMax ? `__${escaped}` : `___z${hash('sha256', tag)}`;
}

/**
 * Returns the distinct tokens of a plant: ASCII lower-case letters, digits, underscores, non-ASCII.
 */
export function toSearchTokens({ name, tag }: Plant): string[] {
  const words = toNameWords(name);
  return tag === undefined ? words : [...words, toTagToken(tag)];
}

function fold(text: string): string {
  const letters = text.normalize('NFD').replaceAll(/[\p{M}\p{Cf}]/gu, '');
  // Lower-casing gives "ς" at the end of a word, "σ" elsewhere; a prefix must match both.
  return letters.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

function shorten(word: string, codePointsMax: number): string {
  return word.length <= codePointsMax ? word : Array.from(word).slice(0, codePointsMax).join('');
}

function toHex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(2, '0');
}
