/** Text of others -> text for a terminal. */

/** Shown as an escape, so that a name or a message cannot move the cursor or look like another line. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

export function toPrintable(text: string): string {
  return text.replaceAll(unprintable, toEscape);
}

function toEscape(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
