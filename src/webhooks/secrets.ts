/** Signing secrets: how they are made, encrypted for the store, and sign (Standard Webhooks 1.0). */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import type { SealedSecret } from '../domain/webhooks.ts';

/** How long an old secret signs, too, after its rotation, in milliseconds. */
export const rotationMs = 86_400_000;

/** What the owner of a webhook should know if its secret was encrypted with another key. */
export const unreadableSecret = 'The secret cannot be decrypted with the key of the service; create a new secret';

const secretBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

export function createSecret(): string {
  return `whsec_${randomBytes(secretBytes).toString('base64')}`;
}

/** Encrypts with AES-256-GCM. @param webhook its id: the result is of no use for another one. */
export function seal(secret: string, webhook: string, key: Uint8Array): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(webhook));
  const sealed = [cipher.update(secret, 'utf8'), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]).toString('base64');
}

/** @throws Error if it was encrypted with another key, or for another webhook. */
export function unseal(sealed: string, webhook: string, key: Uint8Array): string {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(webhook)).setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  return decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
}

/** Returns the secrets that sign now, the current one first; undefined: of another key. */
export function unsealAll(
  { id, secrets }: { readonly id: string; readonly secrets: readonly SealedSecret[] },
  key: Uint8Array,
  now: number,
): string[] | undefined {
  try {
    return secrets.filter(({ expiresAt = Infinity }) => expiresAt > now).map(({ sealed }) => unseal(sealed, id, key));
  } catch {
    return undefined;
  }
}

export interface SignedContent {
  readonly id: string;
  /** Milliseconds since 1970; sent in seconds. */
  readonly now: number;
  readonly body: string;
}

/**
 * Returns the header fields of a signed request.
 * @param secrets each signs, so that a receiver can verify with any of them.
 */
export function sign({ id, now, body }: SignedContent, secrets: readonly string[]): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secret.indexOf('_') + 1), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
