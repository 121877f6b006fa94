/**
 * The log: one line per event, as JSON, or pretty on a terminal. No worker thread, so that a crash
 * can flush it.
 */
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
  const stream = isPretty ? await openPrettyStream(destination, hasColors) : openJsonStream(destination);
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
  return Object.assign(logger, { flushSync: () => flushStream(stream) });
}

type LogStream = DestinationStream & { flushSync?: () => void };

function openJsonStream(destination: LogDestination): LogStream {
  if (destination.fd === undefined) return { write: (line) => void destination.write(line) };
  // Not synchronous: a slow reader of the log must not slow requests down.
  return new LineWriter(destination.fd);
}

async function openPrettyStream(destination: LogDestination, hasColors: boolean): Promise<LogStream> {
  // Loaded only here: a service that logs JSON starts faster without it.
  const { build } = await import('pino-pretty');
  const { Writable } = await import('node:stream');
  const target =
    destination.fd ??
    new Writable({
      decodeStrings: false,
      write: (text: string, _encoding, done) => {
        destination.write(text);
        done();
      },
    });
  return build({
    destination: target,
    sync: true,
    hideObject: true,
    colorize: hasColors,
    translateTime: 'SYS:HH:MM:ss.l',
    messageFormat: toPrettyMessage,
  });
}

/** `Ready  url http://127.0.0.1:3000`: the members after the message, an error's stack below it. */
function toPrettyMessage({ level: _level, time: _time, msg, error, ...members }: Record<string, unknown>): string {
  const shown = Object.entries(members).map(
    ([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const stack = typeof error === 'object' && error !== null && 'stack' in error ? `\n${String(error.stack)}` : '';
  return `${[String(msg), ...shown].join('  ')}${stack}`;
}

function flushStream(stream: LogStream): void {
  try {
    stream.flushSync?.();
  } catch {
    // The reader of the log is gone; there is nowhere to report it.
  }
}
