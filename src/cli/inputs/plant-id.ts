/** The ids on a command line: exact, in the one spelling that each has. */
import { describeInvalidInt64, parseInt64 } from '../../json/int64.ts';
import { UsageError } from '../usage-error.ts';

/** @throws UsageError if the text is not an id. */
export function parseId(text: string): bigint {
  const id = parseInt64(text);
  if (id === undefined) throw new UsageError([toProblem(text)]);
  return id;
}

/** @throws UsageError with one line for each text that is not an id. */
export function parseIds(texts: readonly string[]): readonly bigint[] {
  const problems = texts.filter((text) => parseInt64(text) === undefined).map(toProblem);
  if (problems.length > 0) throw new UsageError(problems);
  return texts.map(parseId);
}

function toProblem(text: string): string {
  return `Cannot use ID ${JSON.stringify(text.slice(0, 80))}: it ${describeInvalidInt64(text)}`;
}
