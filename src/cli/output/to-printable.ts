/** Text of others -> text for a terminal. */
import type { Output } from '../command-context.ts';

/** Shown as an escape: a name or a message cannot move the cursor or look like another line. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

export function toPrintable(text: string): string {
  return text.replaceAll(unprintable, toEscape);
}

/** Wraps an output: `write` escapes all but line ends, `writeAll` takes bytes as they are. */
export function toSafeOutput(output: Output): Output {
  return {
    ...(output.fd === undefined ? {} : { fd: output.fd }),
    isTTY: output.isTTY,
    get columns() {
      return output.columns;
    },
    write: (text) => output.write(text.split('\n').map(toPrintable).join('\n')),
    writeAll: (bytes) => output.writeAll(bytes),
  };
}

function toEscape(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
