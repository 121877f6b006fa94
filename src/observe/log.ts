/** The log: a line per event, as JSON or for a terminal. No thread: a crash can flush it. */
import { pino } from 'pino';
import type { DestinationStream } from 'pino';
import { LineWriter } from './line-writer.ts';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/** Members of one line. An Error under `error` is written with its stack and causes. */
export type LogFields = Readonly<Record<string, unknown>>;

interface LogMethod {
  (message: string): void;
  (fields: LogFields, message: string): void;
}

/**
 * The log of other modules. Never pass a token; removing `authorization` members is only a last
 * defence.
 */
export interface Log extends Readonly<Record<LogLevel, LogMethod>> {
  isLevelEnabled(level: LogLevel): boolean;
  /** Writes text as it is, after the lines before it: for a person at a terminal. */
  writeText(text: string): void;
  /** Resolves once all lines are written, or after a second: for the end of the process. */
  flush(): Promise<void>;
  /** Writes all pending lines before it returns, for a crash. Never throws. */
  flushSync(): void;
}

/** A file descriptor such as that of stdout, or any object that accepts text. */
export interface LogDestination {
  readonly fd?: number;
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

export interface LogOptions {
  readonly level: LogLevel | 'silent';
  /** `auto`: pretty when the destination is a terminal, JSON otherwise. */
  readonly format: 'auto' | 'json' | 'pretty';
  readonly destination: LogDestination;
  /** Whether pretty lines have colors. Default: none. */
  readonly hasColors?: boolean;
}

const redactedPaths = ['authorization', 'Authorization'].flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

export async function openLog({ level, format, destination, hasColors = false }: LogOptions): Promise<Log> {
  const isPretty = format === 'pretty' || (format === 'auto' && destination.isTTY === true);
  // Not synchronous: a slow reader of the log must not slow requests down.
  const writer: LogWriter = destination.fd === undefined ? destination : new LineWriter(destination.fd);
  const stream = isPretty ? await toPrettyStream(writer, hasColors) : writer;
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      errorKey: 'error',
      serializers: { error: pino.stdSerializers.err },
      redact: { paths: redactedPaths, censor: '[removed]' },
    },
    stream,
  );
  return Object.assign(logger, {
    writeText: (text: string) => void writer.write(text),
    flush: async () => writer.flush?.(),
    flushSync: () => writer.flushSync?.(),
  });
}

interface LogWriter {
  write(text: string): unknown;
  flush?(): Promise<void>;
  flushSync?(): void;
}

async function toPrettyStream(writer: LogWriter, hasColors: boolean): Promise<DestinationStream> {
  // Loaded only here: a service that logs JSON starts faster without it.
  const { prettyFactory } = await import('pino-pretty');
  const toPretty = prettyFactory({
    hideObject: true,
    colorize: hasColors,
    translateTime: 'SYS:HH:MM:ss.l',
    messageFormat: toPrettyMessage,
  });
  return { write: (line) => void writer.write(toPretty(line)) };
}

/** `Ready  url http://127.0.0.1:3000`: the members after the message, an error's stack below it. */
function toPrettyMessage({ level: _level, time: _time, msg, error, ...members }: Record<string, unknown>): string {
  const shown = Object.entries(members).map(
    ([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const stack = typeof error === 'object' && error !== null && 'stack' in error ? `\n${String(error.stack)}` : '';
  return `${[String(msg), ...shown].join('  ')}${stack}`;
}
