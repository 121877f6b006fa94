/**
 * Finds the botanical names in a text, which are written in italics: genus, species and what is below it, but not ×, var., 'Cultivar' and words
 * of other languages. By how Latin words end: a list of all genera would be larger than the page. Without a browser.
 */

const genus = String.raw`(?:[A-Z][a-z]+(?:a|us|um|is|[cn]as|bes|ies|on|amen|ops|[aeio]x|oe|the|ave|ebe|phne|rine|ago|kgo|cio)|Acer|Aster|Papaver|Piper|[A-Z]\.)`;
const epithet = String.raw`(?:rex|[a-z][a-z-]+(?:a|ae|um|us|is|[ae]ns|[^ai\s]i|ii|(?:ens|al|il|ar|str|oll|ulc|and)e|oides|[lm]e?on|[jnl]or|[^m\s]ix|[ae]x))(?![\p{L}\p{N}-])`;
const rank = String.raw`(?:var|subsp|ssp|f|forma)\.? `;
/** What follows a genus without a species: a cultivar, or "sp.". */
const alone = String.raw`(?= (?:['"‘“]\p{Lu}|(?:spp?|cf|aff)\.))`;
const latin = new RegExp(
  String.raw`(?<![\p{L}\p{N}])${genus}(?: (?:×[ \u00a0]?|x[ \u00a0])?${epithet}(?: (?:${rank})?${epithet})*|${alone})`,
  'gu',
);
/** Upright within a name. */
const marks = /( ×[ \u00a0]?| x[ \u00a0]| (?:var|subsp|ssp|f|forma)\.? )/u;

/** The text in parts: every second one, from the second on, is in italics. */
export function toLatinParts(text: string): readonly string[] {
  const parts: string[] = [];
  const add = (part: string, isLatin: boolean): void => {
    const last = parts.pop() ?? '';
    if (isLatin === (parts.length % 2 === 1)) parts.push(last + part);
    else parts.push(last, part);
  };
  let end = 0;
  for (const { 0: name, index } of text.matchAll(latin)) {
    add(text.slice(end, index), false);
    for (const [at, part] of name.split(marks).entries()) add(part, at % 2 === 0);
    end = index + name.length;
  }
  add(text.slice(end), false);
  return parts;
}
