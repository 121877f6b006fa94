/** Why a text was refused as JSON, and where. Which status or error number that becomes is not decided here. */

export type JsonErrorReason = 'malformed' | 'duplicate-member' | 'unpaired-surrogate' | 'too-deep';

/** The first fault of a JSON text. Its message shows at most one character of the text, so that logs and answers stay clean. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  readonly reason: JsonErrorReason;
  /** Where the fault is, in UTF-16 units from 0; the length of the text when something is missing at its end. */
  readonly position: number;

  /** @param wanted what could have stood at the position, as the end of the sentence "wanted …". */
  constructor(reason: JsonErrorReason, wanted: string, text: string, position: number) {
    super(`Cannot read JSON: wanted ${wanted} at position ${position}, found ${describeCharacter(text, position)}`);
    this.reason = reason;
    this.position = position;
  }
}

/** Visible ASCII as it is; all else by its number, so that no control character or half of a pair gets into a log. */
function describeCharacter(text: string, position: number): string {
  const codePoint = text.codePointAt(position);
  if (codePoint === undefined) return 'the end';
  if (codePoint > 0x20 && codePoint < 0x7f) return `'${String.fromCodePoint(codePoint)}'`;
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
}
