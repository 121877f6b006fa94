/** Finds the address that a client used, from its request or from a trusted proxy. */
import type { IncomingMessage } from 'node:http';
import type { IsTrusted } from './trusted-proxies.ts';
import { hostOf, isHost } from './well-formed.ts';

/** Returns for example `https://plants.example:8080`, with the prefix of a proxy; `''`: unknown. */
export type FindAddress = (request: IncomingMessage) => string;

/** Path segments, such as `/garden`. */
const prefixPattern = /^(?:\/[A-Za-z0-9._~-]+)+$/;

/** @param isTrusted whose X-Forwarded-Proto, -Host and -Prefix fields are used. */
export function createFindAddress(isTrusted: IsTrusted): FindAddress {
  return (request) => {
    const { headers, socket } = request;
    const { remoteAddress = '' } = socket;
    const isForwarded = isTrusted(remoteAddress);
    const protocol = isForwarded ? lastOf(headers['x-forwarded-proto']).toLowerCase() : '';
    const forwardedHost = isForwarded ? lastOf(headers['x-forwarded-host']) : '';
    const host = forwardedHost !== '' && isHost(forwardedHost) ? forwardedHost : (hostOf(request) ?? '');
    if (host === '') return '';
    const own = 'encrypted' in socket ? 'https' : 'http';
    const prefix = isForwarded ? lastOf(headers['x-forwarded-prefix']).replace(/\/$/, '') : '';
    const address = `${protocol === 'http' || protocol === 'https' ? protocol : own}://${host}`;
    return prefixPattern.test(prefix) ? address + prefix : address;
  };
}

/** Returns the nearest proxy's entry of a list that each appends to; `''` if there is none. */
function lastOf(field: string | string[] | undefined): string {
  return (
    String(field ?? '')
      .split(',')
      .at(-1)
      ?.trim() ?? ''
  );
}
