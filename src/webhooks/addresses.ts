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
/** RFC 6052: a network without IPv4 reaches the IPv4 address of the last 32 bits through these. */
const nat64 = ipaddr.parseCIDR('64:ff9b::/96');
/** Looks public, but is the host agent of a cloud (Azure), which any machine there reaches. */
const hostAgent = '168.63.129.16';

/** Returns whether the address is on the internet: of no other class, also if mapped from IPv4 or through NAT64. */
function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  let address = ipaddr.process(text);
  if (address.kind() === 'ipv6' && address.match(nat64))
    address = ipaddr.fromByteArray(address.toByteArray().slice(-4));
  if (address.range() !== 'unicast' || address.toString() === hostAgent) return false;
  return address.kind() === 'ipv4' || address.match(globalUnicast);
}

const urlLengthMax = 2_000;

/**
 * Returns the URL in the form in which it is called, so that no other one is shown.
 * @throws UrlError also for what the parser would repair in silence.
 */
export function parseUrl(text: string, policy: AddressPolicy): string {
  const problem = findTextProblem(text, policy) ?? findUrlProblem(new URL(text), policy);
  if (problem !== undefined) throw new UrlError(`"url" ${problem}`);
  const { href } = new URL(text);
  if (href.length > urlLengthMax) throw new UrlError(`"url" must have at most ${urlLengthMax} characters when encoded`);
  return href;
}

/** The message says in one sentence what is wrong with a URL. */
export class UrlError extends Error {
  override readonly name = 'UrlError';
}

const privateAddress =
  'must not lead into a private network, unless the service is started with PLANT_STORE_WEBHOOK_ALLOW_PRIVATE=true';

/** Finds the problems of a URL that its text shows. */
function findTextProblem(text: string, policy: AddressPolicy): string | undefined {
  if (/[\s\p{Cc}\p{Cf}]/u.test(text)) return 'must not contain spaces or invisible characters';
  if (text.includes('\\')) return 'must not contain a backslash';
  if (!URL.canParse(text)) {
    return /^https?:\/\//i.test(text)
      ? 'must have a valid host, and no port above 65535'
      : `${toBeginning(policy)}, such as https://shop.example/hooks`;
  }
  // Not `https:example.com` or `https:///example.com`, which the parser takes, too.
  const [, host = '', path = ''] = /^[a-z]+:\/\/([^/?#]+)(.*)$/i.exec(text) ?? [];
  if (host === '') return `${toBeginning(policy)} and a host`;
  if (host.includes('@')) return 'must not contain a user name or a password';
  return path.includes('#') ? 'must not contain a fragment (# and what follows)' : undefined;
}

/** Returns what the URL must be or not be for a request, to follow its name; undefined: it is. */
export function findUrlProblem(url: URL, policy: AddressPolicy): string | undefined {
  const isHttp = policy.allowsHttp && url.protocol === 'http:';
  if (!isHttp && url.protocol !== 'https:') return toBeginning(policy);
  const host = toHost(url);
  // RFC 6761: these names are always this machine.
  if (/(?:^|\.)localhost\.?$/.test(host) && !policy.isAllowed('127.0.0.1')) return privateAddress;
  return isIP(host) !== 0 && !policy.isAllowed(host) ? privateAddress : undefined;
}

function toBeginning({ allowsHttp }: AddressPolicy): string {
  return `must begin with https://${allowsHttp ? ' or http://' : ''}`;
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
      if (found.some(({ address }) => !isAllowed(address))) throw new AddressRefusedError(`The URL ${privateAddress}`);
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
