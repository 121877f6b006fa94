/**
 * Finds the network of a client, for limits that do not depend on a token: its IPv4 address, or the
 * /64 of its IPv6 address, of which one client has every address. A site may have a /48.
 */
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { findClient, type IsTrusted } from './trusted-proxies.ts';

/** Returns for example `192.0.2.1`, or `2001:db8:0:1::/64`. @param bits of an IPv6 network. */
export function findNetwork(request: IncomingMessage, isTrusted: IsTrusted, bits: 48 | 64 = 64): string {
  const address = (findClient(request, isTrusted) ?? '').replace(/%.*$/s, '');
  if (!isIPv6(address)) return address;
  // In one spelling, with IPv4 parts as groups.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [first, last] = [toGroups(head), toGroups(tail ?? '')];
  const gap = tail === undefined ? 0 : 8 - first.length - last.length;
  const groups = [...first, ...Array<string>(gap).fill('0'), ...last];
  // An IPv4 address in an IPv6 one, as sockets for both name it.
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  return isMapped ? groups.join(':') : `${groups.slice(0, bits / 16).join(':')}::/${bits}`;
}

function toGroups(text: string): string[] {
  return text === '' ? [] : text.split(':');
}
