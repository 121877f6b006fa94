/**
 * The form of a name under which it is found: case and accents are taken away by the rules of Unicode, which JavaScript carries itself,
 * so that every store finds the same plants whatever collation it has.
 */

/**
 * Canonical decomposition less the combining marks (UAX #15), then lower, upper and again lower case, which folds what one of them alone
 * keeps apart: "É" -> "e"; "ß", "ẞ" and "SS" -> "ss". Lower case writes a sigma at the end of a word as "ς", so that the key of a prefix would
 * not begin the key of the word: every sigma is "σ" here.
 */
export function toNameKey(name: string): string {
  // Most names are ASCII, and need none of it.
  if (/^[\x01-\x7f]*$/.test(name)) return name.toLowerCase();
  const letters = name.normalize('NFD').replaceAll(/\p{M}/gu, '');
  return letters.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}
