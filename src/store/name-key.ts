/**
 * The form of a name under which it is found: case and accents are taken away by the rules of Unicode, which JavaScript carries itself,
 * so that every store finds the same plants whatever collation it has.
 */

/**
 * Canonical decomposition less the combining marks (UAX #15), then upper and again lower case, which folds what lower case alone keeps
 * apart: "É" -> "e", "ß" and "SS" -> "ss", "ς" and "σ" -> "σ".
 */
export function toNameKey(name: string): string {
  // Most names are ASCII, and need none of it.
  if (/^[\x01-\x7f]*$/.test(name)) return name.toLowerCase();
  return name.normalize('NFD').replaceAll(/\p{M}/gu, '').toUpperCase().toLowerCase().normalize('NFC');
}
