/** Who calls, and what they may do. How a token becomes a principal is not decided here: auth/ does that. */

export const scopes = ['plants:read', 'plants:write', 'admin'] as const;

/** What a token allows. `admin` is reserved: no operation needs it yet. It does not include the other two. */
export type Scope = (typeof scopes)[number];

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}

/** An authenticated caller. */
export interface Principal {
  /** The id of the token that the caller showed; not a secret. */
  readonly tokenId: string;
  readonly scopes: ReadonlySet<Scope>;
}

/** What the store keeps of a token. The token itself is kept nowhere. */
export interface TokenRecord {
  /** Short public name for lists and for revoking, 12 base62 characters. */
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the token's ASCII characters, 64 lower-case hexadecimal digits. */
  readonly hash: string;
  readonly scopes: readonly Scope[];
  /** Milliseconds since 1970-01-01T00:00:00Z, like every time below. */
  readonly createdAt: number;
  /** Absent: never expires. */
  readonly expiresAt?: number;
  readonly revokedAt?: number;
  /** Cut to the minute. Absent: not used yet. */
  readonly lastUsedAt?: number;
}
