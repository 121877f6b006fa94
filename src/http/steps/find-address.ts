/** The address at which a client reached the service: what it sent, or what a trusted proxy says that it sent. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import { isHost } from './well-formed.ts';

/** Such as `https://plants.example:8080`; `''` when nobody says. */
export type FindAddress = (request: IncomingMessage) => string;

/** @param proxies addresses and networks in CIDR notation whose X-Forwarded-Proto and -Host fields are used. */
export function createFindAddress(proxies: readonly string[]): FindAddress {
  const trusted = new BlockList();
  for (const proxy of proxies) {
    const [address = '', prefix] = proxy.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(prefix), family);
  }
  return ({ headers, socket }) => {
    const { remoteAddress = '' } = socket;
    const isForwarded = proxies.length > 0 && trusted.check(remoteAddress, isIPv6(remoteAddress) ? 'ipv6' : 'ipv4');
    const protocol = isForwarded ? lastOf(headers['x-forwarded-proto']).toLowerCase() : '';
    const forwardedHost = isForwarded ? lastOf(headers['x-forwarded-host']) : '';
    const host = forwardedHost !== '' && isHost(forwardedHost) ? forwardedHost : (headers.host ?? '');
    if (host === '') return '';
    const own = 'encrypted' in socket ? 'https' : 'http';
    return `${protocol === 'http' || protocol === 'https' ? protocol : own}://${host}`;
  };
}

/** Of a list that each proxy appends to, the entry of the nearest one; `''` when there is none. */
function lastOf(field: string | string[] | undefined): string {
  return (
    String(field ?? '')
      .split(',')
      .at(-1)
      ?.trim() ?? ''
  );
}
