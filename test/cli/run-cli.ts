/** Runs commands: inside this process, as most tests need, or as a process of their own, where the process is what matters. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable, type Writable } from 'node:stream';
import type { CommandContext, Output, StopSignal } from '../../src/cli/command-context.ts';
import { runProgram } from '../../src/cli/program.ts';
import { Transcript } from '../support/transcript.ts';

const root = join(import.meta.dirname, '..', '..');
export const mainPath = join(root, 'src', 'main.ts');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

/** No service is here, and `fetch` does not refuse the port by itself, as it does with 1 and 9. */
export const deadUrl = 'http://127.0.0.1:2';

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

/** A command that runs. */
export interface StartedCli {
  readonly stdin: Writable;
  readonly ended: Promise<Run>;
  /** Resolves as soon as stderr holds the text; rejects when the command ends without it. */
  readonly said: (text: string) => Promise<void>;
  /** Resolves once the text is in stdout. */
  readonly printed: (text: string) => Promise<void>;
  readonly signal: (signal: StopSignal) => void;
}

/** Runs a command in this process. Resolves to its exit code and output. The environment is `env` and nothing else. */
export function runCli(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = process.cwd(),
  { stdin = '', stopAt, ...world }: World = {},
): Promise<Run> {
  const cli = startCli(args, env, cwd, world);
  cli.stdin.end(stdin);
  if (stopAt !== undefined)
    void Promise.any([cli.said(stopAt), cli.printed(stopAt)]).then(
      () => cli.signal('SIGINT'),
      () => undefined,
    );
  return cli.ended;
}

/** Starts a command in this process, whose standard input stays open. */
export function startCli(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd = process.cwd(),
  { columns, now = Date.now }: World = {},
): StartedCli {
  const texts = { stdout: new Transcript(), stderr: new Transcript() };
  const stdin = Object.assign(new PassThrough(), { isTTY: columns !== undefined });
  // A command that has ended reads no more.
  stdin.on('error', () => undefined);
  const listeners = new Set<(signal: StopSignal) => void>();
  const toOutput = (name: 'stdout' | 'stderr'): Output => ({
    isTTY: columns !== undefined,
    columns,
    write: (line) => texts[name].add(line),
    writeAll: (bytes) => {
      texts[name].add(bytes);
      return Promise.resolve(true);
    },
  });
  const [stdout, stderr] = [toOutput('stdout'), toOutput('stderr')];
  const onStopSignal: CommandContext['onStopSignal'] = (listener) => void listeners.add(listener);
  const ended = runHere(args, { stdin, stdout, stderr, env, cwd, now, onStopSignal });
  const signal = (name: StopSignal): void => listeners.forEach((listener) => listener(name));
  return { stdin, signal, ...follow(texts, ended) };
}

/** Starts a command as a process; it is killed after two minutes, so that no fault here makes a test hang. */
export function spawnCli(args: readonly string[], env: Record<string, string> = {}, cwd?: string): StartedCli {
  const child = spawn(process.execPath, [mainPath, ...args], { env, cwd, timeout: 120_000, killSignal: 'SIGKILL' });
  const texts = { stdout: new Transcript(), stderr: new Transcript() };
  for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (bytes: Buffer) => texts[name].add(bytes));
  child.stdin.on('error', () => undefined);
  const ended = once(child, 'close').then(([code]) => code as number);
  return { stdin: child.stdin, signal: (name) => void child.kill(name), ...follow(texts, ended) };
}

/** Runs a command as a process. Resolves when it has ended, whatever its exit code. The environment is `env` and nothing else. */
export function runProcess(args: readonly string[], env: Record<string, string> = {}, cwd?: string): Promise<Run> {
  const cli = spawnCli(args, env, cwd);
  cli.stdin.end();
  return cli.ended;
}

/** What a command gets of the outside world; the rest is empty. */
export type Surroundings = Pick<CommandContext, 'stdout' | 'stderr' | 'env'> & Partial<CommandContext>;

/** Runs the program in this process. Resolves to the exit code. */
export async function runHere(args: readonly string[], surroundings: Surroundings): Promise<number> {
  let exitCode = 0;
  await runProgram(
    args,
    toContext(surroundings, (code) => (exitCode = code === 0 ? exitCode : code)),
  );
  return exitCode;
}

export function toContext(surroundings: Surroundings, setExitCode: CommandContext['setExitCode']): CommandContext {
  return {
    stdin: Readable.from([]),
    cwd: process.cwd(),
    version,
    now: Date.now,
    setExitCode,
    exitNow: (code) => {
      throw new Error(`The command ended its process with ${code}`);
    },
    onStopSignal: () => undefined,
    onReload: () => undefined,
    // Such an error fails the test that runs.
    onCrash: () => undefined,
    ...surroundings,
  };
}

function follow(
  { stdout, stderr }: Record<'stdout' | 'stderr', Transcript>,
  exited: Promise<number>,
): Pick<StartedCli, 'ended' | 'said' | 'printed'> {
  const ended = exited.then((code) => {
    for (const each of [stdout, stderr]) each.end(`${code}`);
    return { code, stdout: stdout.text, stderr: stderr.text };
  });
  const find = async (transcript: Transcript, text: string): Promise<void> => {
    await transcript.find((all) => all.includes(text));
  };
  return { ended, said: (text) => find(stderr, text), printed: (text) => find(stdout, text) };
}
