/** Refuses what Node's parser accepts although it is not valid HTTP/1.1, or exceeds a limit. */
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { ErrorCode } from '../../domain/errors.ts';
import { countField } from '../wire/count-field.ts';
import { HttpError } from '../wire/reply.ts';

/** Maximum number of header fields. Node would silently drop the rest, perhaps Authorization. */
const headerFieldsMax = 100;
/** A name or an address, optionally a port (RFC 3986, section 3.2). */
const hostPattern = /^(?:(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*|\[([0-9A-Fa-f:.]+)\])(?::(\d{0,5}))?$/;
const portMax = 65_535;

/**
 * @throws ServiceError `headers_too_large`, `version_unsupported` or `request_malformed`; closes
 * the connection.
 */
export function checkWellFormed(request: IncomingMessage): void {
  const code = findProblem(request);
  if (code !== undefined) throw new HttpError(code, { connection: 'close' });
}

export function isHost(text: string): boolean {
  const found = hostPattern.exec(text);
  if (found === null) return false;
  const [, address, port = ''] = found;
  return (address === undefined || isIPv6(address)) && Number(port) <= portMax;
}

/** Returns the host of an absolute target, otherwise the Host field (RFC 9112, section 3.2.2). */
export function hostOf({ url = '', headers }: IncomingMessage): string | undefined {
  return hostOfTarget(url) ?? headers.host;
}

function hostOfTarget(url: string): string | undefined {
  return url.startsWith('/') ? undefined : /^https?:\/\/([^/?]*)/i.exec(url)?.[1];
}

function findProblem({ method, url = '', rawHeaders, headers, httpVersion }: IncomingMessage): ErrorCode | undefined {
  if (rawHeaders.length > 2 * headerFieldsMax) return 'headers_too_large';
  // A target has no fragment (RFC 9112, section 3.2).
  if (url.includes('#')) return 'request_malformed';
  // The asterisk stands alone, and only for OPTIONS (RFC 9112, section 3.2.4).
  if (url.startsWith('*') && (url !== '*' || method !== 'OPTIONS')) return 'request_malformed';
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'version_unsupported';
  const coding = headers['transfer-encoding'];
  // Node ignores codings other than chunked, whose content stays coded; HTTP/1.0 has none.
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion === '1.0')) return 'request_malformed';
  const target = hostOfTarget(url);
  // A target's host is never empty (RFC 9110, section 4.2.1).
  if (target !== undefined && (!isHost(target) || /^(?::|$)/.test(target))) return 'request_malformed';
  const hosts = countField(rawHeaders, 'host');
  const isHostValid = hosts === 1 ? isHost(headers.host ?? '') : hosts === 0 && httpVersion === '1.0';
  return isHostValid ? undefined : 'request_malformed';
}
