/**
 * Records when functions are called in each thread of a process. Loaded by `--import` into the main
 * thread and every worker. A connection to the socket of `RECORD_CALLS` gets the calls since the last
 * one, of all threads, as JSON. Only functions of `STOPS` are recorded, once they were called before.
 */
import { type Debugger, type Profiler, Session } from 'node:inspector';
import { createServer } from 'node:net';
import { isMainThread, threadId } from 'node:worker_threads';

/** When it was called, in nanoseconds of a clock of all threads, and the function, as `file:function`. */
export type RecordedCall = readonly [time: number, stop: string];

const stops = new Set(JSON.parse(process.env['STOPS'] ?? '[]') as readonly string[]);
const channel = new BroadcastChannel('record-calls');
const session = new Session();
session.connect();
session.post('Debugger.enable');
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

let calls: RecordedCall[] = [];
const watched = new Set<string>();
/** The condition of each breakpoint: it never pauses. */
function recordCall(stop: string): boolean {
  calls.push([Number(process.hrtime.bigint()), stop]);
  return false;
}
Object.assign(globalThis, { recordCall });

/** Returns the calls since the last time. */
function take(): readonly RecordedCall[] {
  const taken = calls;
  calls = [];
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error !== null) throw error;
    for (const script of result) watch(script);
  });
  return taken;
}

/** Sets a breakpoint in each of the functions that ran. */
function watch({ scriptId, url, functions }: Profiler.ScriptCoverage): void {
  const [, file] = /\/src\/(.*)$/.exec(url) ?? [];
  for (const { functionName, ranges } of functions) {
    const stop = `${file}:${functionName}`;
    const start = ranges[0]?.startOffset ?? 0;
    const key = `${scriptId}:${start}`;
    if (!stops.has(stop) || watched.has(key)) continue;
    watched.add(key);
    session.post('Debugger.getScriptSource', { scriptId }, (_error, { scriptSource }) => {
      // Before its parameters, a position may be one of the function around it.
      const before = scriptSource.slice(0, scriptSource.indexOf('(', start) + 1).split('\n');
      const location: Debugger.Location = {
        scriptId,
        lineNumber: before.length - 1,
        columnNumber: before.at(-1)?.length ?? 0,
      };
      const condition = `recordCall(${JSON.stringify(stop)})`;
      session.post('Debugger.setBreakpoint', { location, condition }, (error) => {
        if (error !== null) throw new Error(`Cannot watch ${stop}: ${error.message}`);
      });
    });
  }
}

if (isMainThread) {
  const threads = new Set<number>();
  let taken: RecordedCall[] = [];
  let answers = 0;
  let whenAll = (): void => undefined;
  channel.onmessage = (event) => {
    const { hello, calls: others } = (event as MessageEvent<{ hello?: number; calls?: RecordedCall[] }>).data;
    if (hello !== undefined) threads.add(hello);
    if (others === undefined) return;
    taken.push(...others);
    answers += 1;
    if (answers === threads.size) whenAll();
  };
  createServer((socket) => {
    taken = [...take()];
    answers = 0;
    whenAll = () => socket.end(JSON.stringify(taken));
    channel.postMessage('take');
    if (threads.size === 0) whenAll();
  })
    .listen(process.env['RECORD_CALLS'])
    .unref();
} else {
  channel.onmessage = () => channel.postMessage({ calls: take() });
  channel.postMessage({ hello: threadId });
}
(channel as unknown as { unref(): void }).unref();
