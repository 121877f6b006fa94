/** The words of a text and of a search, and which of them a search finds inside of others: for every store, and for the console. */

/**
 * Letters of scripts that put no spaces between words: Chinese, Japanese, Thai, Lao, Khmer and
 * Burmese. A search finds a part of such a text (decision SE2).
 */
const unspaced =
  /[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]--[\p{Z}\p{Cc}\p{P}\p{S}]]/v;
/** Maximum compared length of a word, in code points. */
const wordCodePointsMax = 100;
/** Maximum compared length of a part of an unspaced word, in code points. */
export const partCodePointsMax = 8;
/** Maximum number of words in a search; further ones are ignored. */
const wantedWordsMax = 32;
/** Begins no word. */
export const wordOfNone = '___y';
/** At least three characters, and not `wordOfNone`. */
const partPattern = /^[^_]{3}/u;

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

export function isUnspaced(word: string): boolean {
  return unspaced.test(word);
}

/** Returns the words of a search, shortened to what is compared: of white space none, of punctuation alone what no plant has. */
export function toFirstWords(text: string): string[] {
  const words = toWords(text)
    .slice(0, wantedWordsMax)
    .map((word) => (isUnspaced(word) ? shorten(word, partCodePointsMax) : word));
  return words.length > 0 || text.trim() === '' ? words : [wordOfNone];
}

/** Returns whether a word of a search is long enough to be found inside of words. */
export function isPart(word: string): boolean {
  return partPattern.test(word);
}

/** Returns the text without case and accents. */
export function fold(text: string): string {
  const letters = text.normalize('NFD').replaceAll(/[\p{M}\p{Cf}]/gu, '');
  // Lower-casing gives "ς" at the end of a word, "σ" elsewhere; a prefix must match both.
  return letters.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

function shorten(word: string, codePointsMax: number): string {
  return word.length <= codePointsMax ? word : Array.from(word).slice(0, codePointsMax).join('');
}
