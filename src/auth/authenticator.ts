/** Finds the principal of a token, with a short-lived cache. Knows no HTTP headers. */
import { type Principal, stateOf, type TokenRecord, type TokenRefusal } from '../domain/principal.ts';
import type { TokenStore } from '../domain/store.ts';
import { hashToken, isTokenShaped } from './token.ts';

/** Lifetime of a cache entry, in milliseconds: half of the documented second of a revocation. */
const cacheMs = 500;
/** Maximum number of cached tokens; one more clears the cache. */
const cachedTokensMax = 10_000;
const minuteMs = 60_000;

export interface Clock {
  /** Milliseconds since 1970, for expiry. */
  now(): number;
  /** Milliseconds of a monotonic clock, for the age of a look-up. */
  elapsed(): number;
}

interface CacheEntry {
  readonly principal: Principal;
  readonly checkedAt: number;
  /** The minute whose use was stored, or could not be. */
  readonly usedAt: number;
}

/** A look-up of a token that has not ended. */
interface LookUp {
  readonly found: Promise<Principal | TokenRefusal>;
  readonly checkedAt: number;
}

export class Authenticator {
  readonly #tokens: TokenStore;
  readonly #clock: Clock;
  readonly #onTouchFailed: (cause: unknown) => void;
  readonly #cache = new Map<string, CacheEntry>();
  readonly #lookups = new Map<string, LookUp>();

  /**
   * @param onTouchFailed called if the time of last use cannot be stored; the request continues.
   */
  constructor(tokens: TokenStore, clock: Clock, onTouchFailed: (cause: unknown) => void) {
    this.#tokens = tokens;
    this.#clock = clock;
    this.#onTouchFailed = onTouchFailed;
  }

  /**
   * Returns the principal of a token, or why it is refused: malformed, unknown, expired or revoked.
   * Returns no promise if cached. Rejects if the store cannot be read.
   */
  find(token: string): Principal | TokenRefusal | Promise<Principal | TokenRefusal> {
    const checkedAt = this.#clock.elapsed();
    const cached = this.#cache.get(token);
    if (cached !== undefined && checkedAt - cached.checkedAt < cacheMs) {
      const { principal } = cached;
      const { expiresAt, tokenId } = principal;
      const isValid = expiresAt === undefined || this.#clock.now() < expiresAt;
      return isValid ? principal : { reason: 'expired', tokenId };
    }
    if (!isTokenShaped(token)) return { reason: 'malformed' };
    // Concurrent requests with one token share a look-up, unless it saw what is too old by now.
    const shared = this.#lookups.get(token);
    if (shared !== undefined && checkedAt - shared.checkedAt < cacheMs) return shared.found;
    const found = this.#lookUp(token, checkedAt).finally(() => {
      if (this.#lookups.get(token) === lookup) this.#lookups.delete(token);
    });
    const lookup: LookUp = { found, checkedAt };
    this.#lookups.set(token, lookup);
    return found;
  }

  async #lookUp(token: string, checkedAt: number): Promise<Principal | TokenRefusal> {
    const now = this.#clock.now();
    const record = await this.#tokens.findByHash(hashToken(token));
    const state = record === undefined ? 'unknown' : stateOf(record, now);
    if (record === undefined || state !== 'active') {
      this.#cache.delete(token);
      return record === undefined ? { reason: state } : { reason: state, tokenId: record.id };
    }
    if (this.#cache.size >= cachedTokensMax) this.#cache.clear();
    const known = this.#cache.get(token);
    const principal = known?.principal ?? toPrincipal(record);
    const usedAt = now - (now % minuteMs);
    this.#cache.set(token, { principal, checkedAt, usedAt });
    // At most once per minute and token, also if it fails: the log may have no room for a line.
    if (record.lastUsedAt !== usedAt && known?.usedAt !== usedAt)
      this.#tokens.touch(record.id, usedAt).catch(this.#onTouchFailed);
    return principal;
  }
}

function toPrincipal({ id, name, expiresAt, scopes }: TokenRecord): Principal {
  return { tokenId: id, name, expiresAt, limitKey: id, scopes: new Set(scopes) };
}
