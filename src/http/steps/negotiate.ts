/** Checks expectation, media types and length before reading the body (417, 415, 406, 413). */
import type { IncomingMessage } from 'node:http';
import type { Operation } from '../../contract/operations.ts';
import { ServiceError } from '../../domain/errors.ts';
import { countField } from '../wire/fields.ts';
import { HttpError } from '../wire/reply.ts';

/**
 * Returns the reply's media type that the client prefers; `''` for an operation without one.
 * @throws ServiceError `expectation_unsupported`, `request_malformed`, `media_type_unsupported`,
 * `content_encoding_unsupported`, `not_acceptable` or `body_too_large`.
 */
export function negotiate(request: IncomingMessage, operation: Operation, bodyBytesMax: number): string {
  const { headers } = request;
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
    throw new ServiceError('expectation_unsupported');
  }
  // RFC 9110, section 14.5.
  if (request.method === 'PUT' && headers['content-range'] !== undefined)
    throw new ServiceError('request_malformed', { detail: 'PUT replaces the whole plant: omit Content-Range' });
  if (operation.requestMediaTypes.length > 0 && hasBody(request)) checkBodyType(request, operation.requestMediaTypes);
  const mediaType = preferredType(headers.accept, operation.responseMediaTypes);
  if (mediaType === undefined)
    throw new ServiceError('not_acceptable', { detail: `Available: ${operation.responseMediaTypes.join(', ')}` });
  if (Number(headers['content-length'] ?? 0) > bodyBytesMax) throw new ServiceError('body_too_large');
  return mediaType;
}

/** Returns whether the request has content (RFC 9112, section 6). */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Returns the media type with the best rank, the first of equals; undefined if all are excluded.
 * Ignores malformed parts of Accept (RFC 9110, section 12.5.1).
 */
export function preferredType(accept: string | undefined, offered: readonly string[]): string | undefined {
  if (accept === undefined || accept === '*/*' || offered.length === 0) return offered[0] ?? '';
  const ranges = accept
    .split(',')
    .filter((each) => each.trim() !== '')
    .map(toRange);
  // A field without ranges excludes nothing.
  if (ranges.length === 0) return offered[0];
  let best: string | undefined;
  let bestRank: readonly [number, number] = [0, 0];
  for (const type of offered) {
    const rank = rankOf(type, ranges);
    // An explicit type beats a wildcard of the same quality.
    if (rank[0] > bestRank[0] || (rank[0] === bestRank[0] && rank[0] > 0 && rank[1] > bestRank[1])) {
      [best, bestRank] = [type, rank];
    }
  }
  return best;
}

function checkBodyType({ method, headers, rawHeaders }: IncomingMessage, types: readonly string[]): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  const [type = '', ...parameters] = toParts(headers['content-type']);
  const isUtf8 = parameters.every((each) => !each.startsWith('charset') || /^charset="?utf-?8"?$/.test(each));
  if (!types.includes(type) || !isUtf8 || countField(rawHeaders, 'content-type') > 1) {
    const wanted = { accept: types.join(', ') };
    // RFC 5789, section 2.2.
    throw new HttpError(
      'media_type_unsupported',
      method === 'PATCH' ? { ...wanted, 'accept-patch': wanted.accept } : wanted,
      `Send ${types.join(' or ')}`,
    );
  }
  if (encoding !== 'identity' && encoding !== '') {
    throw new HttpError('content_encoding_unsupported', { 'accept-encoding': 'identity' });
  }
}

/** Returns the media type of the content, in lower case and without parameters; '' if absent. */
export function contentTypeOf({ headers }: IncomingMessage): string {
  return toParts(headers['content-type'])[0] ?? '';
}

function toParts(contentType = ''): string[] {
  return contentType.split(';').map((part) => part.trim().toLowerCase());
}

interface Range {
  readonly type: string;
  readonly quality: number;
}

function toRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((each) => each.startsWith('q='));
  const quality = weight === undefined ? 1 : Number(weight.slice(2));
  return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 };
}

/** Returns quality and precision of the most precise matching range. */
function rankOf(type: string, ranges: readonly Range[]): readonly [quality: number, precision: number] {
  const group = `${type.slice(0, type.indexOf('/'))}/*`;
  for (const [precision, wanted] of [
    [2, type],
    [1, group],
    [0, '*/*'],
  ] as const) {
    const fitting = ranges.filter((range) => range.type === wanted);
    if (fitting.length > 0) return [Math.max(...fitting.map((range) => range.quality)), precision];
  }
  return [0, 0];
}
