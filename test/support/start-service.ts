/**
 * Runs the service in the process of the test, at a third of the cost of a process of its own; start-process.ts is for tests that need one.
 * request.ts sends the requests.
 */
import assert from 'node:assert/strict';
import type { Output } from '../../src/cli/command-context.ts';
import { runService as serve } from '../../src/cli/serve/run-service.ts';
import { type Flags, loadConfig } from '../../src/config/load-config.ts';
import { runHere, type Surroundings, toContext } from '../cli/run-cli.ts';
import type { Cleanup } from './clean-up.ts';
import { runService, type Service, type ServiceOptions } from './service-run.ts';
import { isInMemory, openMemory } from './store-under-test.ts';

/** Resolves once the service logs that it is ready. Stops, checks and removes it when `scope` ends. */
export async function startService(
  scope: Cleanup,
  options: ServiceOptions = {},
): Promise<Service & { readonly reload: () => void }> {
  let reload = (): void => assert.fail('The service takes no reload yet');
  const hasOwn = options.dataDir !== undefined || options.env?.['DATABASE_URL'] !== undefined;
  const store = options.store ?? (isInMemory && !hasOwn && options.firstToken !== 'made' ? 'memory' : undefined);
  const { service } = await runService(scope, { ...options, store }, (flags, env, takeLine) => {
    const stop = Promise.withResolvers<'SIGTERM'>();
    const output: Output = {
      isTTY: false,
      columns: undefined,
      write: (text) => text.split('\n').filter(Boolean).forEach(takeLine),
      writeAll: () => Promise.reject(new Error('The service writes no data to stdout')),
    };
    const world: Surroundings = {
      stdout: output,
      stderr: output,
      env,
      onStopSignal: (listener) => void stop.promise.then(listener),
      onReload: (listener) => (reload = listener),
      // The service has stopped, but a receiver of traces is late, as on a busy machine.
      exitNow: (code) => assert.equal(code, 0),
    };
    const ended = store === 'memory' ? serveMemory(flags, world) : runHere(['serve', ...flags], world);
    return { exited: ended.then((code) => ({ code, signal: null })), signal: () => stop.resolve('SIGTERM') };
  });
  return { ...service, reload: () => reload() };
}

/** Serves a store in memory. Resolves to the exit code. */
async function serveMemory(flags: readonly string[], world: Surroundings): Promise<number> {
  try {
    const config = loadConfig(toFlags(flags), world.env);
    const open = (options: Parameters<typeof openMemory>[1]): ReturnType<typeof openMemory> =>
      openMemory(config.dataDir, options);
    return await serve(
      config,
      { open },
      toContext(world, () => undefined),
    );
  } catch (error) {
    world.stderr.write(String(error));
    return 1;
  }
}

/** Converts `--name value` pairs. */
function toFlags(args: readonly string[]): Flags {
  return Object.fromEntries(args.flatMap((arg, index) => (index % 2 === 0 ? [[arg, args[index + 1]]] : [])));
}
