/**
 * Counts the calls of functions in each thread of a process: V8's precise coverage. Loaded by
 * `--import` into the main thread and every worker. A connection to the socket of `RECORD_CALLS`
 * gets the functions that were called since the last one, of all threads, as JSON.
 */
import { Session } from 'node:inspector';
import { createServer } from 'node:net';
import { isMainThread, threadId } from 'node:worker_threads';

interface Script {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly count: number }[];
  }[];
}

/** Files below src/ with the names of their functions that ran. */
export type Calls = Readonly<Record<string, readonly string[]>>;

const channel = new BroadcastChannel('record-calls');
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

function take(): Calls {
  const calls: Record<string, string[]> = {};
  session.post('Profiler.takePreciseCoverage', (error, found: { readonly result: readonly Script[] }) => {
    if (error !== null) throw error;
    for (const { url, functions } of found.result) {
      const [, file] = /\/src\/(.*)$/.exec(url) ?? [];
      const called = functions.filter(({ functionName, ranges }) => functionName !== '' && ranges[0]?.count !== 0);
      if (file !== undefined && called.length > 0) calls[file] = called.map(({ functionName }) => functionName);
    }
  });
  return calls;
}

if (isMainThread) {
  const threads = new Set<number>();
  let taken: Calls[] = [];
  let whenAll = (): void => undefined;
  channel.onmessage = (event) => {
    const { hello, calls } = (event as MessageEvent<{ hello?: number; calls?: Calls }>).data;
    if (hello !== undefined) threads.add(hello);
    if (calls !== undefined && taken.push(calls) === threads.size) whenAll();
  };
  createServer((socket) => {
    taken = [];
    whenAll = () => socket.end(JSON.stringify([take(), ...taken]));
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
