/** What `npm test` prints: a dot for each file, each failure in full, then the files that cost most, the time and the counts. */
import { relative } from 'node:path';
import type { EventData } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import { cpuPrefix, usedCpuSeconds } from './used-cpu-seconds.ts';

interface ReportOptions {
  readonly onEvent: () => void;
  /** Files above this CPU time are listed, in seconds. */
  readonly cheapSecondsMax: number;
}

/** Resolves to whether tests ran and none failed. */
export async function report(
  events: AsyncIterable<TestEvent>,
  { onEvent, cheapSecondsMax }: ReportOptions,
): Promise<boolean> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const cpuSeconds = new Map<string, number>();
  const files = new Set<string>();
  /** Files that have reported all their tests, or whose failure was reported. */
  const accounted = new Set<string>();
  /** Names by nesting: those of the suites around a test. Results come in the order of the files. */
  const names: string[] = [];

  const fail = (title: string, text: string): void => {
    counts.failed += 1;
    console.log(`\n✖ ${title}\n${text.replaceAll(/^/gm, '  ')}`);
  };
  const noteFailure = ({ name, nesting, file = '', line = 0, details: { error } }: EventData.TestFail): void => {
    const path = relative('.', file);
    const what = inspect(error.cause ?? error);
    if (name === path) {
      fail(path, `Its process failed outside of its tests: ${toEnd(error) ?? what}`);
      // Suites and files fail with their tests, which have been reported.
    } else if (!('failureType' in error) || error.failureType !== 'subtestsFailed') {
      fail([...names.slice(0, nesting), name].join(' > '), `${path}:${line}\n${what}`);
    }
  };
  const notePass = ({ name, file = '', details, skip }: EventData.TestPass): void => {
    if (name === relative('.', file)) {
      if (accounted.has(file)) fail(name, 'It has no test.');
    } else if (details.type !== 'suite') counts[skip === undefined || skip === false ? 'passed' : 'skipped'] += 1;
  };

  for await (const event of events) {
    onEvent();
    const { type, data } = event;
    if (type === 'test:start') names.splice(data.nesting, Infinity, data.name);
    else if (type === 'test:pass') notePass(data);
    else if (type === 'test:fail') noteFailure(data);
    else if (type === 'test:stdout' || type === 'test:stderr') process.stdout.write(data.message);
    else if (type === 'test:summary' && data.file !== undefined) accounted.add(data.file);
    else if (type === 'test:complete' && data.file !== undefined && data.name === relative('.', data.file)) {
      files.add(data.file);
      if (!data.details.passed) accounted.add(data.file);
      process.stdout.write('.');
    } else if (type === 'test:diagnostic' && data.file !== undefined) {
      const path = relative('.', data.file);
      if (data.message.startsWith(cpuPrefix)) cpuSeconds.set(path, Number(data.message.slice(cpuPrefix.length)));
      else console.log(`\n${path}: ${data.message}`);
    }
  }

  for (const file of files) if (!accounted.has(file)) fail(relative('.', file), 'Its process ended before its tests.');
  console.log('');
  for (const [file, seconds] of [...cpuSeconds].sort(([, a], [, b]) => b - a))
    if (seconds > cheapSecondsMax) console.log(`${seconds.toFixed(1).padStart(6)} s of CPU  ${file}`);
  const seconds = Math.round(performance.now() / 1_000);
  console.log(`${files.size} files took ${seconds} s and ${Math.round(usedCpuSeconds())} s of CPU.`);
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return counts.passed > 0 && counts.failed === 0;
}

/** How a process ended, if that is all that is known. */
function toEnd(error: Error): string | undefined {
  const { exitCode, signal } = error as { readonly exitCode?: number | null; readonly signal?: string | null };
  return exitCode === undefined ? undefined : `it ended with ${signal ?? exitCode}`;
}
