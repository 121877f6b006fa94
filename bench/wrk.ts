/** Generates load with wrk: many connections, each sending its next request after the response. */
import { writeFileSync } from 'node:fs';
import { token } from './service.ts';
import type { Workspace } from './workspace.ts';

export interface Load {
  readonly port: number;
  /** A file with one request per line, sent in order and repeatedly: a body for POST /plants, starting with `{`, or the path of a GET. */
  readonly lines: string;
  readonly connections: number;
  /** Whole seconds. */
  readonly seconds: number;
}

export interface LoadResult {
  /** Requests that got a response of any status. */
  readonly requests: number;
  /** Responses other than 2xx, and broken connections. */
  readonly failures: number;
  /** Lines taken from the file: exceeds the responses by at most one per connection, plus one. */
  readonly issued: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time of the generator itself. */
  readonly cpuSeconds: number;
}

export type Generator = (load: Load) => Promise<LoadResult>;

const fields = `HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n`;
const quote = (text: string): string => JSON.stringify(text);

/** One thread, so that lines are sent in order. wrk calls `init` in it, `setup` and `done` outside. */
const script = `
local file, threads = nil, {}
issued = 0
function setup(thread) table.insert(threads, thread) end
function init(args)
  file = assert(io.open(args[1]))
  cpuBefore = os.clock()
end
function request()
  local line = file:read('*l')
  if line == nil then
    file:seek('set')
    line = file:read('*l')
  end
  issued = issued + 1
  if line:byte() ~= 123 then return 'GET ' .. line .. ${quote(` ${fields}\r\n`)} end
  return ${quote(`POST /plants ${fields}Content-Type: application/json\r\nContent-Length: `)} .. #line .. '\\r\\n\\r\\n' .. line
end
function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format('\\n{"requests":%d,"failures":%d,"issued":%d,"seconds":%f,"p50Ms":%f,"p99Ms":%f,"cpuSeconds":%f}\\n',
    summary.requests, errors.status + errors.connect + errors.read + errors.write + errors.timeout, threads[1]:get('issued'),
    summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, os.clock() - threads[1]:get('cpuBefore')))
end
`;

export function openWrk(workspace: Workspace): Generator {
  const path = workspace.makePath('load.lua');
  writeFileSync(path, script);
  return async ({ port, lines, connections, seconds }) => {
    const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout=10s', '-s', path];
    const output = await workspace.run({ command: 'wrk', args: [...args, `http://127.0.0.1:${port}`, '--', lines] });
    const json = /^\{"requests".*$/m.exec(output)?.[0];
    if (json === undefined) throw new Error(`wrk printed no figures: ${output}`);
    return JSON.parse(json) as LoadResult;
  };
}
