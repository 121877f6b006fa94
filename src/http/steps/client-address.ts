/**
 * The client of a request, its network, and the address that it has used: of the connection, or as
 * the X-Forwarded-* fields of a trusted proxy say.
 */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { hostOf, isHost } from './well-formed.ts';

/** Returns whether an address belongs to a trusted proxy. */
export type IsTrusted = (address: string) => boolean;

/** @param proxies addresses and CIDR networks. */
export function toTrusted(proxies: readonly string[]): IsTrusted {
  const trusted = new BlockList();
  for (const proxy of proxies) {
    const [address = '', prefix] = proxy.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(prefix), family);
  }
  return (address) => proxies.length > 0 && trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** An address as Azure and others append it: with a port, one of IPv6 in brackets. */
const addressWithPort = /^(?:\[(.*)\]|([\d.]+))(?::\d+)?$/;

/**
 * Returns the address of the client: the last one in X-Forwarded-For that is no trusted proxy, each
 * of which appends what it sees. Undefined if the connection is gone.
 */
export function findClient({ headers, socket }: IncomingMessage, isTrusted: IsTrusted): string | undefined {
  let client = socket.remoteAddress;
  const hops = String(headers['x-forwarded-for'] ?? '').split(',');
  while (client !== undefined && isTrusted(client)) {
    const hop = hops.pop()?.trim() ?? '';
    const [, inBrackets, ipv4] = addressWithPort.exec(hop) ?? [];
    const address = inBrackets ?? ipv4 ?? hop;
    if (isIP(address) === 0) break;
    client = address;
  }
  return client;
}

/**
 * Returns the network of a client, for limits that do not depend on a token: its IPv4 address, or the
 * /64 of its IPv6 address, of which one client has every address. A site may have a /48.
 * @param bits of an IPv6 network.
 */
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
