/** Why a text was rejected as JSON, and where. Does not choose status or error number. */

export type JsonErrorReason = 'malformed' | 'duplicate-member' | 'too-many-members' | 'unpaired-surrogate' | 'too-deep';

/** The first error of a JSON text. The message quotes at most one character of it. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  readonly reason: JsonErrorReason;
  /** Position of the error in UTF-16 units from 0; at most the length of the text. */
  readonly position: number;

  /** @param wanted what was expected at the position; completes the sentence "wanted …". */
  constructor(reason: JsonErrorReason, wanted: string, text: string, position: number) {
    super(`Cannot read JSON: wanted ${wanted} at position ${position}, found ${describeCharacter(text, position)}`);
    this.reason = reason;
    this.position = position;
  }
}

/** Returns visible ASCII as is, other characters by number, to keep logs clean. */
function describeCharacter(text: string, position: number): string {
  const codePoint = text.codePointAt(position);
  if (codePoint === undefined) return 'the end';
  if (codePoint > 0x20 && codePoint < 0x7f) return `'${String.fromCodePoint(codePoint)}'`;
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
}
