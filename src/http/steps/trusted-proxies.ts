/** The proxies whose X-Forwarded-* fields are used, and the client that they name. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';

/** Returns whether an address is that of a trusted proxy. */
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
