/** Judges a first token that the operator gave. Does not read it. */
import { isIP } from 'node:net';

/** A shorter token can be guessed, in characters. */
export const initialTokenLengthMin = 20;

/** Completes the sentence "Cannot use ...". */
export const weakInitialToken = `a token of less than ${initialTokenLengthMin} characters can be guessed, and other machines can reach the service; use a longer one, or listen on 127.0.0.1`;

/** Returns whether the token can be guessed from another machine. */
export function isWeakInitialToken(token: string, host: string): boolean {
  return token.length < initialTokenLengthMin && !isLoopback(host);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
