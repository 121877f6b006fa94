/** Generates load with wrk and our script, in one thread, so that lines are sent in order. */
import { writeFileSync } from 'node:fs';
import { type Generator, type LoadResult, requestParts } from './load.ts';
import type { Workspace } from './workspace.ts';

const quote = (text: string): string => JSON.stringify(text);

/** wrk calls `init` in the thread before the load, `setup` and `done` in the main state. */
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
  if line:byte() == 123 then return ${quote(requestParts.postHead)} .. #line .. '\\r\\n\\r\\n' .. line end
  return ${quote(requestParts.getHead)} .. line .. ${quote(requestParts.getTail)}
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
  return {
    name: 'wrk, 1 thread',
    run: async ({ port, lines, connections, seconds }) => {
      const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout=10s', '-s', path];
      const output = await workspace.run({ command: 'wrk', args: [...args, `http://127.0.0.1:${port}`, '--', lines] });
      const json = /^\{"requests".*$/m.exec(output)?.[0];
      if (json === undefined) throw new Error(`wrk printed no figures: ${output}`);
      return JSON.parse(json) as LoadResult;
    },
  };
}
