/** Reporter of `npm test`: one dot for each file, each failure in full, and one line at the end. */
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string, void, undefined> {
  for await (const event of events) {
    switch (event.type) {
      case 'test:fail': {
        const { name, file = '', line = 0, details } = event.data;
        const { error } = details;
        // Suites fail with their tests, which have been reported.
        if ('failureType' in error && error.failureType === 'subtestsFailed') break;
        yield `\n✖ ${name}\n  ${relative('.', file)}:${line}\n${inspect(error.cause ?? error).replaceAll(/^/gm, '  ')}\n`;
        break;
      }
      case 'test:stderr':
        // Among it what tests say that did not run.
        yield event.data.message;
        break;
      case 'test:summary': {
        const { file, counts, duration_ms: durationMs } = event.data;
        if (file !== undefined) {
          yield '.';
          break;
        }
        const failed = counts.tests - counts.passed - counts.skipped - counts.todo;
        yield `\nThe tests took ${Math.round(durationMs / 1000)} s.\n${counts.passed} passed, ${failed} failed, ${counts.skipped} skipped\n`;
        break;
      }
      default:
    }
  }
}

// eslint-disable-next-line no-restricted-syntax -- Node takes a reporter from the default export of its file.
export { report as default };
