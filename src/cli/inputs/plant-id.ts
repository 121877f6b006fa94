/** The ids on a command line: exact, in the one spelling that each has. */
import { parseInt64 } from '../../json/int64.ts';
import { UsageError } from '../usage-error.ts';

/** @throws UsageError with one line for each text that is no id. */
export function parseIds(texts: readonly string[]): readonly bigint[] {
  const ids: bigint[] = [];
  const faults: string[] = [];
  for (const text of texts) {
    const id = parseInt64(text);
    if (id === undefined)
      faults.push(
        `Cannot use ID ${JSON.stringify(text.slice(0, 80))}: must be an integer from -9223372036854775808 to 9223372036854775807, in digits`,
      );
    else ids.push(id);
  }
  if (faults.length > 0) throw new UsageError(faults);
  return ids;
}
