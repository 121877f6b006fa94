/** The target of a request: its path below the base path, and its query. */
import type { IncomingMessage } from 'node:http';
import { HttpError } from './reply.ts';

export interface Target {
  /** Below the base path, decoded by segment; `''` if outside. */
  readonly path: string;
  /** As sent, without `?`. */
  readonly query: string;
}

/**
 * @throws ServiceError `request_malformed`, or `path_unknown` for escapes that are not UTF-8;
 * closes the connection.
 */
export function readTarget({ url = '' }: IncomingMessage, basePath: string): Target {
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  const start = target.indexOf('?');
  // The path of an absolute form may be empty (RFC 9110, section 4.2.3).
  const path = decodePath(start === -1 ? target : target.slice(0, start)) || '/';
  return {
    path: path.startsWith(basePath) ? path.slice(basePath.length) : '',
    query: start === -1 ? '' : target.slice(start + 1),
  };
}

function decodePath(path: string): string {
  if (!path.includes('%')) return path;
  try {
    // An escaped slash does not separate segments.
    return path
      .split('/')
      .map((segment) => decodeURIComponent(segment).replaceAll('/', '%2F'))
      .join('/');
  } catch {
    const code = /%(?![0-9A-Fa-f]{2})/.test(path) ? 'request_malformed' : 'path_unknown';
    throw new HttpError(code, { connection: 'close' });
  }
}
