/** Makes system calls of a process fail or take long, by strace: the kernel's own answers, in every thread, without a hook in the product. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { skipLoudly } from '../support/skip-loudly.ts';
import { transcribe } from '../support/transcript.ts';

export interface CallFault {
  /** Names of system calls, as strace takes them. */
  readonly calls: readonly string[];
  /** Only calls on these files; they need not exist yet. */
  readonly paths: readonly string[];
  readonly effect: { readonly error: string } | { readonly delayMs: number };
  /** The first call of each thread that is hit; 1 when absent. */
  readonly from?: number;
  /** True: only that one call. */
  readonly isOnce?: boolean;
}

export interface Attachment {
  /** Ends the fault. */
  readonly detach: () => Promise<void>;
}

export const syncCalls = ['fsync', 'fdatasync'];

const tracer = 'strace';
/** False, and the test skipped, where tracing is not possible: the caller must return. */
export function canTrace(t: TestContext): boolean {
  const trial = spawnSync(tracer, ['--follow-forks', '--trace=write', '--output=/dev/null', 'true'], {
    encoding: 'utf8',
  });
  if (trial.status === 0) return true;
  skipLoudly(t, `it needs strace and the right to trace: ${trial.error?.message ?? trial.stderr.trim()}`);
  return false;
}

/** The program and arguments that run a command with this fault; the command follows them. The calls go to `traceFile`. */
export function toWrapper(fault: CallFault, traceFile: string): string[] {
  return [tracer, ...toFlags(fault), `--output=${traceFile}`];
}

/** Injects the fault into a running process, and resolves once it is at work in all threads. */
export async function attachFault(pid: number, fault: CallFault): Promise<Attachment> {
  const child = spawn(tracer, [...toFlags(fault), '--output=/dev/null', `--attach=${pid}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  // strace reports each thread once, when it has attached to all threads.
  await transcribe(child).find((text) => text.includes('attached'));
  return {
    detach: async () => {
      child.kill('SIGINT');
      await exited;
    },
  };
}

function toFlags({ calls, paths, effect, from = 1, isOnce = false }: CallFault): string[] {
  const what = 'error' in effect ? `error=${effect.error}` : `delay_enter=${effect.delayMs * 1000}`;
  return [
    '--follow-forks',
    ...paths.map((path) => `--trace-path=${path}`),
    `--trace=${calls.join()}`,
    `--inject=${calls.join()}:${what}:when=${from}${isOnce ? '' : '+'}`,
  ];
}
