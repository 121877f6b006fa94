/** Signs requests to subscribers (Standard Webhooks 1.0). */
import { createHmac } from 'node:crypto';

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
