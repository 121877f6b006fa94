/** Runs the service as a process, for tests of what only a process has: signals, an exit, memory, open files. start-service.ts is cheaper. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Cleanup } from './clean-up.ts';
import { type Exit, runService, type Service, type ServiceOptions } from './service-run.ts';

const mainPath = join(import.meta.dirname, '..', '..', 'src', 'main.ts');

export interface ProcessOptions extends ServiceOptions {
  /** Flags of Node itself, such as `--import`. */
  readonly nodeArgs?: readonly string[];
  /** Limit on open files. */
  readonly filesMax?: number;
  /** A program with its arguments that executes the service, such as `setpriv --reuid=1000`. */
  readonly wrapper?: readonly string[];
  /** Descriptor that is its standard input, such as a terminal. */
  readonly stdin?: number;
}

export interface ServiceProcess extends Service {
  readonly pid: number;
  /** Resolves once the process has ended and all its output is read. */
  readonly exited: Promise<Exit>;
  /** Sends a signal; the test checks the exit. */
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Sends SIGKILL; resolves once the process is gone. */
  readonly kill: () => Promise<Exit>;
}

/** Running child processes: they must not outlive this one. */
const children = new Set<ReturnType<typeof spawn>>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** Resolves once the service logs that it is ready. Stops, checks and removes it when `scope` ends. */
export async function startProcess(scope: Cleanup, options: ProcessOptions = {}): Promise<ServiceProcess> {
  const { nodeArgs = [], filesMax, wrapper = [], stdin = 'ignore' } = options;
  let pid = 0;
  const { service, execution, expectEnd } = await runService(scope, options, (flags, env, takeLine) => {
    const command = [...wrapper, process.execPath, ...nodeArgs, mainPath, 'serve', ...flags];
    const [file = '', ...args] =
      filesMax === undefined ? command : ['sh', '-c', `ulimit -n ${filesMax}; exec "$@"`, 'sh', ...command];
    const child = spawn(file, args, { env, stdio: [stdin, 'pipe', 'pipe'] });
    pid = child.pid ?? 0;
    children.add(child);
    for (const input of [child.stdout, child.stderr])
      if (input !== null) createInterface({ input }).on('line', takeLine);
    const exited = once(child, 'close').then(([code, signal]): Exit => {
      children.delete(child);
      return { code: code as number | null, signal: signal as NodeJS.Signals | null };
    });
    return { exited, signal: (signal) => void child.kill(signal) };
  });
  const signal = (name: NodeJS.Signals): void => {
    expectEnd();
    execution.signal(name);
  };
  return {
    ...service,
    pid,
    exited: execution.exited,
    signal,
    kill: () => {
      signal('SIGKILL');
      return execution.exited;
    },
  };
}
