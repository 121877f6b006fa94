/** The ids on a command line: exact, in the one spelling that each has. */
import { describeInvalidInt64, parseInt64 } from '../../json/int64.ts';
import { UsageError } from '../usage-error.ts';

/** @throws UsageError with one line for each text that is not an id. */
export function parseIds(texts: readonly string[]): readonly bigint[] {
  const ids: bigint[] = [];
  const errors: string[] = [];
  for (const text of texts) {
    const id = parseInt64(text);
    if (id === undefined)
      errors.push(`Cannot use ID ${JSON.stringify(text.slice(0, 80))}: it ${describeInvalidInt64(text)}`);
    else ids.push(id);
  }
  if (errors.length > 0) throw new UsageError(errors);
  return ids;
}
