/** `plant-store/sandbox` of the package: a sandbox inside the process of its caller, such as a test. */
/// <reference lib="esnext.disposable" preserve="true" />
import { randomBytes } from 'node:crypto';
import { versions } from 'node:process';
import { loadConfig } from '../../config/load-config.ts';
import { options as serveOptions } from '../../config/options.ts';
import { openLog } from '../../observe/log.ts';
import { findRuntimeProblem } from '../runtime.ts';
import { urlOf } from './listen.ts';

export interface StartedSandbox extends AsyncDisposable {
  /** Such as `http://127.0.0.1:49152`. */
  readonly url: string;
  /**
   * Returns a token. Each name has plants of its own; without a name it is always the same one.
   * @param name 1 to 50 characters of A-Z, a-z, 0-9, ".", "_" and "-".
   * @throws TypeError for what is no text, RangeError for other names.
   */
  token(name?: string): string;
  /**
   * Gives all names the plants that they began with.
   * @throws Error once it is closed.
   */
  reset(): void;
  /** Ends it, with the requests that run. A second call waits, too. */
  close(): Promise<void>;
}

/**
 * Resolves once it serves on a free port of 127.0.0.1. It writes no file and no log, and has no rate limit.
 * @throws TypeError for options: it takes none; Error on a Node that cannot run it.
 */
export async function startSandbox(...options: readonly never[]): Promise<StartedSandbox> {
  if (options.length > 0)
    throw new TypeError('Cannot use options: startSandbox() takes none; its "url" has the free port that it chose');
  const problem = findRuntimeProblem({ node: versions.node, sqlite: versions['sqlite'] });
  if (problem !== undefined) throw new Error(problem);
  // Loaded late: an old Node can then read this file.
  const { openSandboxServer } = await import('./run-sandbox.ts');
  const flags = {
    [serveOptions.sandbox.flag]: 'true',
    [serveOptions.port.flag]: '0',
    [serveOptions.sandboxRate.flag]: 'off',
    [serveOptions.sandboxNewSpacesRate.flag]: 'off',
  };
  const config = loadConfig(flags, {});
  const shutdown = new AbortController();
  const log = await openLog({ level: 'silent', format: 'json', destination: { write: () => undefined } });
  const shared = { log, stopping: shutdown.signal, shutdown: shutdown.signal, now: Date.now, tls: undefined };
  const { server, spaces, close } = await openSandboxServer(config, shared);
  const url = urlOf(config, await server.listen(config.host, config.port));
  // A name of another sandbox, or a guess, must not name a space of this sandbox.
  const prefix = `sandbox-${randomBytes(4).toString('hex')}-`;
  let closed: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    shutdown.abort();
    await server.drain(0);
    await close();
  };
  const started = {
    url,
    token: (name: unknown = 'default') => {
      if (typeof name !== 'string') throw new TypeError('Invalid name: use a string');
      if (!/^[\w.-]{1,50}$/.test(name))
        throw new RangeError('Invalid name: use 1 to 50 characters of A-Z, a-z, 0-9, ".", "_" and "-"');
      return prefix + name;
    },
    reset: () => {
      if (closed !== undefined) throw new Error('Cannot reset: the sandbox is closed');
      spaces.clear();
    },
    close: () => (closed ??= stop()),
  };
  return { ...started, [Symbol.asyncDispose]: started.close };
}
