/** What an import reads: files, or standard input. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { RowFormat } from '../../client/client.ts';
import { toSystemReason } from '../../observe/system-error.ts';
import type { CommandContext } from '../command-context.ts';
import { toRowFormat } from './row-format.ts';

export interface ImportFile {
  /** As the user wrote it; `-` is standard input. */
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
  { path }: ImportFile,
  { cwd, stdin }: CommandContext,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  // A pipe without data would keep the process from ending.
  const stream = path === '-' ? stdin : createReadStream(resolve(cwd, path), { highWaterMark: 1 << 18 });
  signal.addEventListener(
    'abort',
    () => 'destroy' in stream && typeof stream.destroy === 'function' && stream.destroy(),
  );
  for await (const chunk of stream as AsyncIterable<string | Buffer>)
    yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}
