/** The option `--if-match` of the commands that write a plant. */
import { UsageError } from '../usage-error.ts';

/** `*`, or entity tags (RFC 9110, section 8.8.3). */
const wanted = /^(?:\*|(?:W\/)?"[!#-~]*"(?:\s*,\s*(?:W\/)?"[!#-~]*")*)$/;

/** @throws UsageError for a value that no service takes, as when the shell removed the quotes. */
export function checkIfMatch(text: string | undefined): void {
  if (text === undefined || wanted.test(text)) return;
  throw new UsageError([
    `Cannot use --if-match ${JSON.stringify(text.slice(0, 80))}: must be * or an ETag as "get" shows it, with its double quotes, such as '"u7yW3P1hYdY3pCBSRzZt1w"'`,
  ]);
}
