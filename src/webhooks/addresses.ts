/** Which URLs and addresses requests may go to: not into the network of the service (SSRF). */
import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What requests may reach. */
export interface AddressPolicy {
  readonly allowsHttp: boolean;
  readonly isAllowed: (address: string) => boolean;
}

/** @param allowsPrivate whether http and all addresses are allowed. */
export function toAddressPolicy(allowsPrivate: boolean): AddressPolicy {
  return { allowsHttp: allowsPrivate, isAllowed: allowsPrivate ? () => true : isPublicAddress };
}

/** IPv6 addresses that are assigned to the internet. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

/** Returns whether the address is on the internet: no other class, also behind an IPv4-mapped one. */
function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(globalUnicast);
}

/** Returns why no request may be sent to the URL, in one sentence; undefined if one may. */
export function findUrlProblem(text: string, { allowsHttp, isAllowed }: AddressPolicy): string | undefined {
  if (!URL.canParse(text)) return '"url" must be a URL';
  // Not `https:example.com`, which browsers take, too.
  if (!(allowsHttp ? /^https?:\/\//i : /^https:\/\//i).test(text)) return '"url" must begin with https://';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return '"url" must not contain a user name or a password';
  if (url.hash !== '') return '"url" must not contain a fragment';
  const host = toHost(url);
  return isIP(host) !== 0 && !isAllowed(host) ? '"url" must have a public address' : undefined;
}

/** The host name, or the address without brackets. */
function toHost({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** All addresses of a host. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';
}

/**
 * Returns the look-up of a connection. It resolves the name once, checks every address, and the
 * connection uses exactly these: nobody resolves the name again.
 */
export function toCheckedLookup(resolve: Resolve, { isAllowed }: AddressPolicy): LookupFunction {
  return (hostname, { all, family }, callback) => {
    const find = async (): Promise<readonly LookupAddress[]> => {
      const found = await resolve(hostname);
      if (found.some(({ address }) => !isAllowed(address)))
        throw new AddressRefusedError('The host has an address that is not public');
      return found.filter((each) => (family !== 4 && family !== 6 ? true : each.family === family));
    };
    find().then(
      (found) => {
        const [first] = found;
        if (first === undefined) callback(new Error('The host has no address'), '');
        else if (all === true) callback(null, [...found]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), ''),
    );
  };
}
