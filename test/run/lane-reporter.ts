/** The reporter of a lane: tells run.ts which test begins and ends, the result of each, and each failure in full. */
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import type { FromLane } from './lane.ts';

async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string, void, undefined> {
  const send = (message: FromLane): void => void process.send?.(message);
  /** Names by nesting: those of the suites around a test. Results come in the order of the files. */
  const names: string[] = [];
  for await (const event of events) {
    if (event.type === 'test:start') names.splice(event.data.nesting, Infinity, event.data.name);
    if (event.type === 'test:dequeue' || event.type === 'test:complete') {
      const { name, nesting } = event.data;
      const kind = event.type === 'test:dequeue' ? 'testing' : 'finished';
      if (nesting > 0) send({ kind, name });
    } else if (event.type === 'test:fail') {
      const { name, nesting, file = '', line = 0, details } = event.data;
      const { error } = details;
      // Suites and files fail with their tests, which have been reported.
      if ('failureType' in error && error.failureType === 'subtestsFailed') continue;
      send({ kind: 'tested', result: 'failed' });
      const text = inspect(error.cause ?? error).replaceAll(/^/gm, '  ');
      send({
        kind: 'text',
        text: `\n✖ ${[...names.slice(1, nesting), name].join(' > ')}\n  ${relative('.', file)}:${line}\n${text}\n`,
      });
    } else if (event.type === 'test:pass') {
      const { nesting, details, skip } = event.data;
      // Nesting 0 is a file.
      if (nesting === 0 || details.type === 'suite') continue;
      send({ kind: 'tested', result: skip === undefined || skip === false ? 'passed' : 'skipped' });
    }
  }
  yield '';
}

// eslint-disable-next-line no-restricted-syntax -- Node takes a reporter from the default export of its file.
export { report as default };
