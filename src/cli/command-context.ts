/** What a command is handed of the world around it, so that nothing in this room touches the process itself. */

/** A stream to write to: stdout or stderr. */
export interface Output {
  readonly fd: number;
  /** True when it is a terminal. */
  readonly isTTY: boolean;
  /** Width in characters, when it is a terminal. */
  readonly columns: number | undefined;
  write(text: string): void;
  /** Resolves once the bytes have left the process, so that a slow reader slows the writer down; to false when there is no reader any more. */
  writeAll(bytes: Uint8Array): Promise<boolean>;
}

export interface CommandContext {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Relative paths in options start here. */
  readonly cwd: string;
  /** Version of the program, `1.0.0`. */
  readonly version: string;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** The code that the process ends with, once it has nothing left to do. */
  setExitCode(code: number): void;
  /** Ends the process at once, whatever still runs. */
  exitNow(code: number): never;
  /** Calls back at each SIGINT and SIGTERM; from then on they no longer end the process by themselves. */
  onStopSignal(listener: (signal: 'SIGINT' | 'SIGTERM') => void): void;
  /** Calls back when an error was caught by nobody; from then on it no longer ends the process by itself. */
  onCrash(listener: (cause: unknown) => void): void;
}
