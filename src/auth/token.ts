/**
 * The format of the service's own tokens: how they are made, told from a typing error, and hashed.
 * Who holds one and what it allows is not known here. The format follows GitHub's published token design.
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
/** The characters of a bearer token, RFC 6750, section 2.1. */
const bearerTokenPattern = /^[A-Za-z0-9\-._~+/]+=*$/;

/** Longest token that is looked at, in characters; ours have 54. */
const tokenLengthMax = 512;

export interface TokenRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Milliseconds since 1970. Absent: never. */
  readonly expiresAt?: number;
  readonly now: number;
}

/** Makes a token of 256 random bits and the record to store for it. The token can be shown this once only. */
export function issueToken(request: TokenRequest): { readonly token: string; readonly record: TokenRecord } {
  const secret = toBase62(BigInt(`0x${randomBytes(32).toString('hex')}`), secretDigits);
  const token = `${prefix}${secret}${checksumOf(secret)}`;
  return { token, record: recordFor(token, request) };
}

/** The record to store for a token that somebody else made. */
export function recordFor(token: string, { name, scopes, expiresAt, now }: TokenRequest): TokenRecord {
  const id = toBase62(BigInt(`0x${randomBytes(8).toString('hex')}`), 12).slice(-12);
  return {
    id,
    name,
    hash: hashToken(token),
    scopes,
    createdAt: now,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

/** SHA-256 of the token, 64 lower-case hexadecimal digits. A slow hash would add nothing: the token holds 256 random bits. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/**
 * Whether the text can be a token at all: RFC 6750's characters, a bounded length, and for one of our own format a right checksum.
 * Spares the store a look-up for typing errors and for scanners.
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
