/**
 * The format of the service's tokens: creation, detection of typing errors, hashing. The format
 * follows GitHub's published token design. Knows no owners or scopes.
 */
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Scope, TokenRecord } from '../domain/principal.ts';

const prefix = 'plst_';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^43 > 2^256: enough digits for 256 random bits. */
const secretDigits = 43;
/** 62^6 > 2^32: enough digits for a CRC32. */
const checksumDigits = 6;
const ownTokenPattern = new RegExp(`^${prefix}[0-9A-Za-z]{${secretDigits + checksumDigits}}$`);
/** Characters of a bearer token (RFC 6750, section 2.1). */
const bearerTokenPattern = /^[A-Za-z0-9\-._~+/]+=*$/;

/** Maximum length of a token to look up, in characters; ours have 54. */
const tokenLengthMax = 512;

export interface TokenRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Milliseconds since 1970. Never expires if absent. */
  readonly expiresAt?: number;
  /** Id of the token that asks for it, if one does. */
  readonly createdBy?: string;
  readonly now: number;
}

/** Creates a token of 256 random bits and the record to store. The token cannot be shown again. */
export function issueToken(request: TokenRequest): { readonly token: string; readonly record: TokenRecord } {
  const secret = toBase62(BigInt(`0x${randomBytes(32).toString('hex')}`), secretDigits);
  const token = `${prefix}${secret}${checksumOf(secret)}`;
  return { token, record: recordFor(token, request) };
}

/** Returns the record to store for a token created elsewhere. */
export function recordFor(token: string, { now, ...request }: TokenRequest): TokenRecord {
  const id = toBase62(BigInt(`0x${randomBytes(8).toString('hex')}`), 12).slice(-12);
  return { ...request, id, hash: hashToken(token), createdAt: now };
}

/** Returns the SHA-256 of the token in hexadecimal. 256 random bits need no slow hash. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/**
 * Returns whether the text can be a token: characters of RFC 6750, bounded length, and a correct
 * checksum if in our format. Avoids store look-ups for typing errors and scanners.
 */
export function isTokenShaped(text: string): boolean {
  if (text.length > tokenLengthMax || !bearerTokenPattern.test(text)) return false;
  if (!text.startsWith(prefix)) return true;
  if (!ownTokenPattern.test(text)) return false;
  const secret = text.slice(prefix.length, prefix.length + secretDigits);
  return text.slice(prefix.length + secretDigits) === checksumOf(secret);
}

function checksumOf(secret: string): string {
  return toBase62(BigInt(crc32(secret)), checksumDigits);
}

function toBase62(value: bigint, digits: number): string {
  let text = '';
  for (let rest = value; text.length < digits; rest /= 62n) text = `${alphabet.charAt(Number(rest % 62n))}${text}`;
  return text;
}
