/** Checks expectation, media types and length before reading the body (417, 400, 415, 406, 413). */
import type { IncomingMessage } from 'node:http';
import type { Operation } from '../../contract/operations.ts';
import { ServiceError } from '../../domain/errors.ts';
import { contentLengthOf, contentTypeOf } from '../wire/content.ts';
import { countField } from '../wire/count-field.ts';
import { preferredType } from '../wire/preferred-type.ts';
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
  const length = contentLengthOf(request) ?? 0;
  if (operation.requestMediaTypes.length > 0 && length > 0) checkBodyType(request, operation.requestMediaTypes);
  const mediaType = chooseType(headers.accept, operation.responseMediaTypes);
  if (mediaType === undefined)
    throw new ServiceError('not_acceptable', { detail: `Available: ${operation.responseMediaTypes.join(', ')}` });
  // Chunks are counted while they are read.
  if (length > bodyBytesMax && length !== Infinity) throw new ServiceError('body_too_large');
  return mediaType;
}

/**
 * Where success is no JSON, a client that accepts JSON gets the first type: generated clients send
 * the type of the errors alone. RFC 9110, section 12.5.1, allows to disregard the field.
 */
function chooseType(accept: string | undefined, types: readonly string[]): string | undefined {
  const isJsonAccepted = preferredType(accept, ['application/json']) !== undefined;
  return preferredType(accept, types) ?? (isJsonAccepted ? types[0] : undefined);
}

function checkBodyType(request: IncomingMessage, types: readonly string[]): void {
  const { method, headers, rawHeaders } = request;
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  const [type = '', ...parameters] = contentTypeOf(request);
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
