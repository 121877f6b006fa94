/** The temporary folder and child processes of a run. Removes both, however the run ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A child process that listens on a local port. */
export interface Server {
  readonly pid: number;
  readonly port: number;
  /** Sends SIGTERM; rejects if the process fails. */
  readonly stop: () => Promise<void>;
}

/** Time-out of a child program, in milliseconds. */
const programMs = 600_000;
const startMs = 20_000;
const stopMs = 30_000;

export class Workspace {
  readonly folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
  readonly #children = new Set<ChildProcess>();
  #files = 0;

  constructor() {
    process.on('exit', () => this.clear());
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => process.exit(128 + constants.signals[signal]));
  }

  /** Kills all children and removes the folder. */
  clear(): void {
    for (const child of this.#children) child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }

  /** Returns an unused path in the folder. */
  makePath(name: string): string {
    return join(this.folder, `${++this.#files}-${name}`);
  }

  /** Writes a new file and returns its path. */
  write(name: string, text: string): string {
    const path = this.makePath(name);
    writeFileSync(path, text);
    return path;
  }

  /**
   * Runs a program to completion. Resolves to its output.
   * @throws Error with the output if it fails.
   */
  async run(program: Program, input = ''): Promise<string> {
    const { child, output } = this.#spawn(program);
    child.stdin?.on('error', () => undefined).end(input);
    await this.#end(child, programMs, output);
    return output();
  }

  /** Starts a server. Resolves when its output matches `ready`, whose first group is the port. */
  async start(program: Program, ready: RegExp): Promise<Server> {
    const { child, output } = this.#spawn(program);
    const deadline = performance.now() + startMs;
    let port: string | undefined;
    while ((port = ready.exec(output())?.[1]) === undefined) {
      if (child.exitCode !== null || child.signalCode !== null || performance.now() > deadline)
        throw new Error(`${program.args.join(' ')} did not start: ${output()}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return {
      pid: child.pid ?? 0,
      port: Number(port),
      stop: () => {
        child.kill('SIGTERM');
        return this.#end(child, stopMs, output);
      },
    };
  }

  #spawn({ command, args, env = {}, cwd }: Program): { child: ChildProcess; output: () => string } {
    const child = spawn(command, args, { cwd, env: { PATH: process.env['PATH'], ...env } });
    this.#children.add(child);
    child.once('close', () => this.#children.delete(child));
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    return { child, output: () => text };
  }

  async #end(child: ChildProcess, limitMs: number, output: () => string): Promise<void> {
    if (!this.#children.has(child)) return;
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    clearTimeout(timer);
    if (code !== 0) throw new Error(`${child.spawnargs.join(' ')} ended with ${code ?? signal ?? ''}: ${output()}`);
  }
}
