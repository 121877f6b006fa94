/** The target of a request: its path below the base path, and its query. */
import type { IncomingMessage } from 'node:http';
import { HttpError } from './reply.ts';

export interface Target {
  /** Below the base path, decoded by segment; `''` if outside. */
  readonly path: string;
  /** The query as sent, without `?`. */
  readonly query: string;
}

/**
 * @throws ServiceError `request_malformed`, or `path_unknown` for escapes that are not UTF-8;
 * closes the connection.
 */
export function readTarget(request: IncomingMessage, basePath: string): Target {
  const [sent, query] = split(request);
  // The path of an absolute form may be empty (RFC 9110, section 4.2.3).
  const path = decodePath(sent) || '/';
  return { path: path.startsWith(basePath) ? path.slice(basePath.length) : '', query };
}

/** More are longer than any address of ours. */
const levelsMax = 16;

/**
 * Returns the address of the root of the service, relative to that of the request: a proxy may
 * have cut a prefix. `''` if they are in one folder.
 */
export function toRoot(request: IncomingMessage, basePath: string): string {
  const [path] = split(request);
  const isInside = path.startsWith(`${basePath}/`);
  const levels = path.split('/').length - 2 - (isInside ? basePath.split('/').length - 1 : 0);
  if (levels > levelsMax) return `${basePath}/`;
  return '../'.repeat(Math.max(0, levels)) + (isInside ? '' : `${basePath.slice(1)}/`);
}

function split({ url = '' }: IncomingMessage): [path: string, query: string] {
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  const start = target.indexOf('?');
  return start === -1 ? [target, ''] : [target.slice(0, start), target.slice(start + 1)];
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
