/** Runs commands: inside this process, as most tests need, or as a process of their own, where the process is what matters. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Output } from '../../src/cli/command-context.ts';
import { runHere } from '../support/run-here.ts';

export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How the world of a command differs from that of a script. */
export interface World {
  /** Default: empty. */
  readonly stdin?: string;
  /** All three streams are a terminal of this width. Default: none is. */
  readonly columns?: number;
  /** Default: the clock of the machine. */
  readonly now?: () => number;
  /** Once stdout or stderr has this text, Ctrl-C is pressed. */
  readonly stopAt?: string;
}

/** No service is here, and `fetch` does not refuse the port by itself, as it does with 1 and 9. */
export const deadUrl = 'http://127.0.0.1:2';

export const mainPath = join(import.meta.dirname, '..', '..', 'src', 'main.ts');

/** Runs a command in this process. Resolves to its exit code and output. The environment is `env` and nothing else. */
export async function runCli(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = process.cwd(),
  { stdin = '', columns, now = Date.now, stopAt }: World = {},
): Promise<Run> {
  const stopListeners = new Set<(signal: 'SIGINT') => void>();
  const onText = (text: () => string): void => {
    if (stopAt === undefined || !text().includes(stopAt)) return;
    for (const listener of stopListeners) listener('SIGINT');
    stopListeners.clear();
  };
  const [stdout, stderr] = [toOutput(columns, onText), toOutput(columns, onText)];
  const code = await runHere(args, {
    stdin: Object.assign(Readable.from(stdin === '' ? [] : [stdin]), { isTTY: columns !== undefined }),
    stdout,
    stderr,
    env,
    cwd,
    now,
    onStopSignal: (listener) => void stopListeners.add(listener),
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function toOutput(
  columns: number | undefined,
  onText: (text: () => string) => void,
): Output & { readonly text: () => string } {
  const chunks: Buffer[] = [];
  const text = (): string => Buffer.concat(chunks).toString();
  const add = (bytes: Buffer): void => {
    chunks.push(bytes);
    onText(text);
  };
  return {
    isTTY: columns !== undefined,
    columns,
    write: (line) => add(Buffer.from(line)),
    writeAll: (bytes) => {
      add(Buffer.from(bytes));
      return Promise.resolve(true);
    },
    text,
  };
}

/** Runs a command as a process. Resolves when it has ended, whatever its exit code. The environment is `env` and nothing else. */
export function runProcess(args: readonly string[], env: Record<string, string> = {}, cwd?: string): Promise<Run> {
  return new Promise((resolve, reject) => {
    const options = { env, cwd, encoding: 'utf8', timeout: 120_000 } as const;
    execFile(process.execPath, [mainPath, ...args], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === 'number') resolve({ code, stdout, stderr });
      else reject(new Error(`Cannot run ${args.join(' ')}`, { cause: error }));
    });
  });
}
