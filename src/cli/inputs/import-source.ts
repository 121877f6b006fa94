/** What an import reads: files, or standard input. */
import { closeSync, constants, createReadStream, fstatSync, openAsBlob, openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { platform } from 'node:os';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';
import type { RowFormat } from '../../client/client.ts';
import { toSystemReason } from '../../system/system-error.ts';
import type { CommandContext } from '../command-context.ts';
import { toRowFormat } from './values.ts';

export interface ImportFile {
  /** The path as the user wrote it; `-` is standard input. */
  readonly path: string;
  readonly mediaType: RowFormat;
  /** Bytes. Undefined if unknown, as of a pipe. */
  readonly size: number | undefined;
}

/** @throws UsageError when the format is not known; Error when there is no such file. */
export async function toImportFile(
  path: string,
  format: string | undefined,
  { cwd }: CommandContext,
): Promise<ImportFile> {
  const mediaType = toRowFormat(format, path);
  if (path === '-') return { path, mediaType, size: undefined };
  const found = await stat(resolve(cwd, path)).catch((cause: unknown) => {
    throw new Error(`Cannot import ${path}: ${toSystemReason(cause)}`, { cause });
  });
  if (found.isDirectory()) throw new Error(`Cannot import ${path}: it is a folder`);
  return { path, mediaType, size: found.isFile() ? found.size : undefined };
}

export async function* openImportSource(
  { path, size }: ImportFile,
  { cwd, stdin }: CommandContext,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* readInput(path === '-' ? stdin : openInput(resolve(cwd, path), size !== undefined), signal);
}

/** Bytes of an input that are kept. */
const keptBytesMax = 268_435_456;

/** Keeps what an input has that is no file, up to a bit more than `keptBytesMax`. */
export async function* keepChunks(
  source: AsyncIterable<Uint8Array>,
  kept: Uint8Array[],
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  for await (const chunk of source) {
    if (bytes <= keptBytesMax) kept.push(chunk);
    bytes += chunk.length;
    yield chunk;
  }
}

/** The content of an input that was read, to read it again. Undefined: it is no file, and has more than is kept. */
export async function toBlob(
  { path, size }: ImportFile,
  kept: readonly Uint8Array[],
  { cwd }: CommandContext,
): Promise<Blob | undefined> {
  if (size !== undefined) return openAsBlob(resolve(cwd, path));
  const blob = new Blob(kept as Uint8Array<ArrayBuffer>[]);
  return blob.size > keptBytesMax ? undefined : blob;
}

/** The bytes of a stream. Throws or ends once the signal is aborted. */
async function* readInput(
  stream: NodeJS.ReadableStream | Readable,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  // A pipe without data would keep the process from ending.
  signal.addEventListener(
    'abort',
    () => 'destroy' in stream && typeof stream.destroy === 'function' && stream.destroy(),
  );
  for await (const chunk of stream as AsyncIterable<string | Buffer>)
    yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

/**
 * What may have no data for long, such as a pipe or a terminal, is read when there is some. A
 * file is read by a thread, which then could not even be ended: the process would wait for it.
 */
function openInput(path: string, isFile: boolean): Readable {
  // Elsewhere a pipe that nobody has opened for writing yet looks as if it had ended. Linux
  // reports its end only after a writer was there.
  if (!isFile && platform() === 'linux') {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    if (isatty(fd)) return new ReadStream(fd);
    if (fstatSync(fd).isFIFO()) return new Socket({ fd, readable: true, writable: false });
    closeSync(fd);
  }
  return createReadStream(path, { highWaterMark: 1 << 18 });
}
