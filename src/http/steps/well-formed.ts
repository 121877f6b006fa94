/** What Node's parser lets pass although it is no request of HTTP/1.1, or exceeds a limit. What the parser refuses itself: malformed.ts. */
import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '../../domain/errors.ts';
import { countField } from '../wire/fields.ts';
import { HttpError } from '../wire/reply.ts';

/** Most header fields of a request. Node would silently drop the rest, perhaps the Authorization field. */
const headerFieldsMax = 100;
/** A Host field: a name or an address, perhaps a port (RFC 9112, section 3.2). */
const hostPattern = /^(?:[A-Za-z0-9._~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?$/;

/** @throws ServiceError `headers_too_large`, `version_unsupported` or `request_malformed`; the reply is the last of its connection. */
export function checkWellFormed(request: IncomingMessage): void {
  const code = findFault(request);
  if (code !== undefined) throw new HttpError(code, { connection: 'close' });
}

export function isHost(text: string): boolean {
  return hostPattern.test(text);
}

function findFault({ method, url = '', rawHeaders, headers, httpVersion }: IncomingMessage): ErrorCode | undefined {
  if (rawHeaders.length > 2 * headerFieldsMax) return 'headers_too_large';
  // A target has no fragment (RFC 9112, section 3.2).
  if (url.includes('#')) return 'request_malformed';
  // The asterisk stands alone, and for OPTIONS (RFC 9112, section 3.2.4).
  if (url.startsWith('*') && (url !== '*' || method !== 'OPTIONS')) return 'request_malformed';
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'version_unsupported';
  const coding = headers['transfer-encoding'];
  // Node reads the chunks and ignores further codings, which would leave the content coded; HTTP/1.0 has no codings.
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion === '1.0')) return 'request_malformed';
  const hosts = countField(rawHeaders, 'host');
  const isHostValid = hosts === 1 ? isHost(headers.host ?? '') : hosts === 0 && httpVersion === '1.0';
  return isHostValid ? undefined : 'request_malformed';
}
