/**
 * Runs the service in the process of the test, at a third of the cost of a process of its own; start-process.ts is for tests that need one.
 * request.ts sends the requests.
 */
import type { Output } from '../../src/cli/command-context.ts';
import { runHere } from './run-here.ts';
import type { Cleanup } from './clean-up.ts';
import { runService, type Service, type ServiceOptions } from './service-run.ts';

/** Resolves once the service logs that it is ready. Stops, checks and removes it when `scope` ends. */
export async function startService(scope: Cleanup, options: ServiceOptions = {}): Promise<Service> {
  const { service } = await runService(scope, options, (flags, env, takeLine) => {
    const stop = Promise.withResolvers<'SIGTERM'>();
    const output: Output = {
      isTTY: false,
      columns: undefined,
      write: (text) => text.split('\n').filter(Boolean).forEach(takeLine),
      writeAll: () => Promise.reject(new Error('The service writes no data to stdout')),
    };
    const exited = runHere(['serve', ...flags], {
      stdout: output,
      stderr: output,
      env,
      onStopSignal: (listener) => void stop.promise.then(listener),
    }).then((code) => ({ code, signal: null }));
    return { exited, signal: () => stop.resolve('SIGTERM') };
  });
  return service;
}
