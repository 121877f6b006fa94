/** What commands get of the outside world: nothing in this module touches the process itself. */
import type { Readable } from 'node:stream';

/** A stream to write to: stdout or stderr. */
export interface Output {
  /** Absent when it is not a file: its text goes through `write`. */
  readonly fd?: number;
  /** True when it is a terminal. */
  readonly isTTY: boolean;
  /** Width in characters, when it is a terminal. */
  readonly columns: number | undefined;
  write(text: string): void;
  /** Resolves once the bytes have left the process, for backpressure; to false without a reader. */
  writeAll(bytes: Uint8Array): Promise<boolean>;
}

/** Whether stdout may have colors (no-color.org). */
export function hasColors({ stdout, env }: Pick<CommandContext, 'stdout' | 'env'>): boolean {
  return stdout.isTTY && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
}

/** How a command is started: in a clone that npm has started, there is no `plant-store` on the path. */
export function toProgram({ env }: Pick<CommandContext, 'env'>): string {
  return env['npm_package_name'] === 'plant-store' ? 'npm run -s plant-store --' : 'plant-store';
}

/** SIGHUP: the terminal was closed. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export interface CommandContext {
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Relative paths in options start here. */
  readonly cwd: string;
  /** Version of the program, `1.0.0`. */
  readonly version: string;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** The code with which the process ends when it has nothing left to do. */
  setExitCode(code: number): void;
  /** Ends the process at once. */
  exitNow(code: number): void;
  /** Calls back on each stop signal, which then no longer ends the process by itself. */
  onStopSignal(listener: (signal: StopSignal) => void): void;
  /** Calls back on SIGHUP if the process has no terminal; then it is no stop signal. */
  onReload(listener: () => void): void;
  /** Calls back on uncaught errors, which then no longer end the process by themselves. */
  onCrash(listener: (cause: unknown) => void): void;
}
