/** Starts the program as a process of its own and leaves it running, for tests that feed it, stop it, or pull the service away. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mainPath, type Run } from './run-cli.ts';

export interface StartedCli {
  readonly stdin: NodeJS.WritableStream;
  readonly ended: Promise<Run>;
  /** Resolves as soon as stderr holds the text; rejects when the process ends without it. */
  readonly said: (text: string) => Promise<void>;
  readonly signal: (signal: NodeJS.Signals) => void;
}

/** The environment is `env` and nothing else. It is killed after a minute, so that no fault here makes a test hang. */
export function startCli(args: readonly string[], env: Record<string, string>): StartedCli {
  const child = spawn(process.execPath, [mainPath, ...args], { env, timeout: 60_000, killSignal: 'SIGKILL' });
  let stdout = '';
  let stderr = '';
  const listeners = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    for (const listener of listeners) listener();
  });
  // A process that was stopped reads no more.
  child.stdin.on('error', () => undefined);
  const ended = once(child, 'close').then(([code]) => ({ code: code as number, stdout, stderr }));
  return {
    stdin: child.stdin,
    ended,
    said: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!stderr.includes(text)) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        look();
        void ended.then(() => reject(new Error(`It ended without saying ${text}:\n${stderr}`)));
      }),
    signal: (signal) => void child.kill(signal),
  };
}
