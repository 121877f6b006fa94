/** Principals: who makes a request, and what they may do. auth/ maps tokens to principals. */

export const scopes = ['plants:read', 'plants:write', 'webhooks:manage', 'tokens:manage'] as const;

/** What a token allows. No scope includes another one. */
export type Scope = (typeof scopes)[number];

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}

/** Begins the id of a record that stands for a user of an OpenID provider. */
export const userIdPrefix = 'jwt:';

/** Who makes a request, as its token says. */
export interface Principal {
  /** The id of the token; not a secret. */
  readonly tokenId: string;
  /** The name of the token, or of the user. */
  readonly name: string;
  /** When the token expires, in milliseconds since 1970. Never if absent. */
  readonly expiresAt?: number | undefined;
  /** Principals with one key share limits: the token's id, or where tokens are free, the network. */
  readonly limitKey: string;
  readonly scopes: ReadonlySet<Scope>;
  /**
   * Where the scopes of a JWT come from, for the log and for the answer to a request without the
   * scope.
   */
  readonly scopeOrigin?: string;
}

/** Why a token is refused. */
export interface TokenRefusal {
  /** For the log: never a part of the token. */
  readonly reason: string;
  /** The id of the token, if it is known. */
  readonly tokenId?: string;
  /** For the client; of a service with secrets, only if the token is a JWT with a valid signature. */
  readonly detail?: string;
}

/** Whether the text is readable as a name: no control characters, nothing invisible, no change of direction. */
export function isReadable(text: string): boolean {
  return !/[\p{Cc}\xad\u061c\u200b\u200e\u200f\u2027-\u202f\u2060-\u206f\ufefe-\uff00]/u.test(text);
}

/** The stored record of a token. The token itself is never stored. */
export interface TokenRecord {
  /** Short public name for lists and revocation: 12 base62 characters. */
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the token's ASCII characters: 64 lower-case hexadecimal digits. */
  readonly hash: string;
  readonly scopes: readonly Scope[];
  /** Milliseconds since 1970-01-01T00:00:00Z, like all times below. */
  readonly createdAt: number;
  /** Id of the token that created it over HTTP. Absent: a command, the first start or a provider did. */
  readonly createdBy?: string;
  /** Never expires if absent. */
  readonly expiresAt?: number;
  readonly revokedAt?: number;
  /** Truncated to the minute. Absent if never used. */
  readonly lastUsedAt?: number;
}

/** Returns whether a token can be used at a time (ms), or why not. */
export function stateOf(
  { revokedAt, expiresAt = Infinity }: TokenRecord,
  now: number,
): 'active' | 'expired' | 'revoked' {
  if (revokedAt !== undefined) return 'revoked';
  return now < expiresAt ? 'active' : 'expired';
}
