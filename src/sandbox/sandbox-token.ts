/**
 * The tokens of a sandbox: each names its space, and nobody has to create one. `sandbox-NAME` reads
 * and writes, `sandbox-read-NAME` only reads the same space.
 */
import { hash } from 'node:crypto';
import type { Principal, Scope } from '../domain/principal.ts';

/** A name never begins with `read-`: then each token has one meaning. */
const pattern = /^sandbox-(read-)?((?!read-)[A-Za-z0-9._-]{8,64})$/;
// Nobody may make the service send requests to others: no token manages webhooks.
const writer: ReadonlySet<Scope> = new Set(['plants:read', 'plants:write']);
const reader: ReadonlySet<Scope> = new Set(['plants:read']);

/** What a request without a valid one gets to know. */
export const tokenRule =
  'A sandbox takes sandbox-NAME, where NAME has 8 to 64 letters, digits, dots, underscores or hyphens, and does not begin with read-';

/** The name of every principal: nobody else writes in its space. */
export const principalName = 'sandbox';

/**
 * Returns the principal; undefined if the token is not one of a sandbox. Its id is the key of its
 * space: the SHA-256 of the name, which is kept nowhere.
 */
export function parseSandboxToken(token: string): Omit<Principal, 'limitKey'> | undefined {
  const [, prefix, name] = pattern.exec(token) ?? [];
  if (name === undefined) return undefined;
  return { tokenId: hash('sha256', name), name: principalName, scopes: prefix === undefined ? writer : reader };
}
