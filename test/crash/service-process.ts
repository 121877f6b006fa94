/** The service as a process of its own that may be killed at any moment. What it is asked is not known here. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { transcribe } from '../support/transcript.ts';
import { type Fault, toFaultEnvironment } from './fault.ts';

export const token = 'a-token-for-the-crash-loop-alone';

const mainPath = join(import.meta.dirname, '..', '..', 'src', 'main.ts');

export interface ServiceOptions {
  readonly folder: string;
  readonly fault?: Fault | undefined;
  /** Undefined takes away a variable that would else be set. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Command and arguments of the product; `serve` when absent. */
  readonly command?: readonly string[];
  /** A program and its arguments that run the service as their own child, such as a tracer. */
  readonly wrapper?: readonly string[];
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Everything that went to stdout and stderr. */
  readonly output: string;
}

export interface ServiceProcess {
  readonly exited: Promise<Exit>;
  /** Resolves to the port once the service is ready, to undefined when it ends before. */
  readonly ready: Promise<number | undefined>;
  readonly pid: number;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** What it has written so far. */
  readonly output: () => string;
}

export function spawnService(options: ServiceOptions): ServiceProcess {
  const { folder, fault, env, command = ['serve'], wrapper = [] } = options;
  const [program, ...args] = [...wrapper, process.execPath, mainPath, ...command];
  const child = spawn(program ?? '', args, {
    env: {
      PORT: '0',
      LOG_FORMAT: 'json',
      PLANT_STORE_DATA_DIR: folder,
      PLANT_STORE_INITIAL_TOKEN: token,
      ...(fault === undefined ? {} : toFaultEnvironment(fault)),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const transcript = transcribe(child);
  const output = (): string => transcript.text;
  const ready = transcript
    .find((text) => /"url":"http:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1])
    .then(Number, () => undefined);
  const exited = once(child, 'close').then(([code, signal]): Exit => {
    return { code: code as number | null, signal: signal as NodeJS.Signals | null, output: output() };
  });
  return { exited, ready, pid: child.pid ?? 0, kill: (signal) => void child.kill(signal), output };
}

/** Starts the service and waits until it is ready. @throws Error with its output when it ends before. */
export async function startService(options: ServiceOptions): Promise<ServiceProcess & { readonly port: number }> {
  const service = spawnService(options);
  const port = await service.ready;
  if (port === undefined) throw new Error(`The service ended before it was ready: ${(await service.exited).output}`);
  return { ...service, port };
}
