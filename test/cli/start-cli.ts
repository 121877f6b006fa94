/** Starts the program as a process of its own and leaves it running, for tests that feed it, stop it, or pull the service away. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mainPath, type Run } from './run-cli.ts';

export interface StartedCli {
  readonly stdin: NodeJS.WritableStream;
  readonly ended: Promise<Run>;
  /** Resolves as soon as stderr holds the text; rejects when the process ends without it. */
  readonly said: (text: string) => Promise<void>;
  /** The same for stdout. */
  readonly printed: (text: string) => Promise<void>;
  readonly signal: (signal: NodeJS.Signals) => void;
}

/** The environment is `env` and nothing else. It is killed after a minute, so that no fault here makes a test hang. */
export function startCli(args: readonly string[], env: Record<string, string>): StartedCli {
  const child = spawn(process.execPath, [mainPath, ...args], { env, timeout: 120_000, killSignal: 'SIGKILL' });
  const output = { stdout: '', stderr: '' };
  const listeners = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      for (const listener of listeners) listener();
    });
  }
  // A process that was stopped reads no more.
  child.stdin.on('error', () => undefined);
  const ended = once(child, 'close').then(([code]) => ({ code: code as number, ...output }));
  const has = (name: keyof typeof output, text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (!output[name].includes(text)) return;
        listeners.delete(look);
        resolve();
      };
      listeners.add(look);
      look();
      void ended.then(() => reject(new Error(`It ended without ${text}:\n${output[name]}`)));
    });
  return {
    stdin: child.stdin,
    ended,
    said: (text) => has('stderr', text),
    printed: (text) => has('stdout', text),
    signal: (signal) => void child.kill(signal),
  };
}
