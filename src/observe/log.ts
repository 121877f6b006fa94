/**
 * The log: one line per event, JSON, or pretty on a terminal; no worker thread, so that a crash can flush it.
 * What is logged, and at which level, is not decided here.
 */
import { pino } from 'pino';
import type { DestinationStream } from 'pino';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/** Members of one line. An Error goes under `error`: its stack and its causes are written out. */
export type LogFields = Readonly<Record<string, unknown>>;

interface LogMethod {
  (message: string): void;
  (fields: LogFields, message: string): void;
}

/** What other rooms take. Never hand it a token; `authorization` members are removed, but as a last defence only. */
export interface Log extends Readonly<Record<LogLevel, LogMethod>> {
  isLevelEnabled(level: LogLevel): boolean;
  /** A log that adds these members to every line. */
  child(fields: LogFields): Log;
  /** Writes everything logged so far before it returns: for the way out of a crash. Never throws. */
  flushSync(): void;
}

/** Where lines go: a file descriptor such as that of stdout, or else whatever takes the text. */
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
}

/** A reader that has stopped reading costs this much memory at most; lines beyond it are dropped. */
const waitingBytesMax = 16 * 1024 * 1024;

const redactedPaths = ['authorization', 'Authorization'].flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

export async function openLog({ level, format, destination }: LogOptions): Promise<Log> {
  const isPretty = format === 'pretty' || (format === 'auto' && destination.isTTY === true);
  const stream = isPretty ? await openPrettyStream(destination) : openJsonStream(destination);
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
  // A child has its parent as prototype, and so flushes too; pino's types cannot say that.
  return Object.assign(logger, { flushSync: () => flushStream(stream) }) as unknown as Log;
}

type LogStream = DestinationStream & { flushSync?: () => void };

function openJsonStream(destination: LogDestination): LogStream {
  if (destination.fd === undefined) return { write: (line) => void destination.write(line) };
  // Not synchronous: a slow reader of the log must not slow requests down.
  return pino.destination({ fd: destination.fd, sync: false, maxLength: waitingBytesMax });
}

async function openPrettyStream(destination: LogDestination): Promise<LogStream> {
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
    colorize: destination.isTTY === true,
    translateTime: 'SYS:HH:MM:ss.l',
    messageFormat: toPrettyMessage,
  });
}

/** `Ready  url http://127.0.0.1:3000`: the members behind the message, and the stack of an error below it. */
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
    // The reader of the log is gone; there is nobody left to tell.
  }
}
