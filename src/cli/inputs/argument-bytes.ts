/** Whether a command line is what was typed: Node replaces bytes that are not UTF-8. */
import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';

/** What stands for such bytes. It is a character that may be typed, too. */
const replacement = '\ufffd';

/**
 * Returns a sentence without a full stop; undefined if nothing is wrong, or the system does not
 * say.
 */
export function findArgumentProblem(args: readonly string[]): string | undefined {
  if (!args.some((arg) => arg.includes(replacement))) return undefined;
  let bytes: Buffer;
  try {
    bytes = readFileSync('/proc/self/cmdline');
  } catch {
    return undefined;
  }
  if (isUtf8(bytes)) return undefined;
  return 'Cannot use the command line: an argument is not valid UTF-8; does the terminal or the script use another encoding?';
}
