/** Token to principal, with a short-lived cache. What an HTTP header looks like is not known here. */
import type { Principal, TokenRecord } from '../domain/principal.ts';
import type { TokenStore } from '../domain/store.ts';
import { hashToken, isTokenShaped } from './token.ts';

/** How long a look-up is believed, in milliseconds. A revocation takes effect within twice this: published is 1 second. */
const memoryMs = 500;
/** Most tokens remembered at once; a further one makes the memory start anew. */
const memoryTokensMax = 10_000;
const minuteMs = 60_000;

export interface Clock {
  /** Milliseconds since 1970: for expiry. */
  now(): number;
  /** Milliseconds of a clock that never stops or jumps: for the age of a look-up. */
  elapsed(): number;
}

interface Remembered {
  readonly record: TokenRecord;
  readonly principal: Principal;
  readonly checkedAt: number;
}

export class Authenticator {
  readonly #tokens: TokenStore;
  readonly #clock: Clock;
  readonly #onTouchFailed: (cause: unknown) => void;
  readonly #memory = new Map<string, Remembered>();
  readonly #lookups = new Map<string, Promise<Principal | undefined>>();

  /** @param onTouchFailed called when the time of last use could not be noted, which harms no request. */
  constructor(tokens: TokenStore, clock: Clock, onTouchFailed: (cause: unknown) => void) {
    this.#tokens = tokens;
    this.#clock = clock;
    this.#onTouchFailed = onTouchFailed;
  }

  /**
   * The principal of a token; undefined when the token is malformed, unknown, expired or revoked. Not a promise when the answer is remembered.
   * Rejects when the store cannot be read.
   */
  find(token: string): Principal | undefined | Promise<Principal | undefined> {
    const remembered = this.#memory.get(token);
    if (remembered !== undefined && this.#clock.elapsed() - remembered.checkedAt < memoryMs)
      return isValid(remembered.record, this.#clock.now()) ? remembered.principal : undefined;
    if (!isTokenShaped(token)) return undefined;
    let lookup = this.#lookups.get(token);
    if (lookup === undefined) {
      // One look-up serves all requests that wait for it.
      lookup = this.#lookUp(token).finally(() => this.#lookups.delete(token));
      this.#lookups.set(token, lookup);
    }
    return lookup;
  }

  async #lookUp(token: string): Promise<Principal | undefined> {
    const checkedAt = this.#clock.elapsed();
    const now = this.#clock.now();
    const record = await this.#tokens.findByHash(hashToken(token));
    if (record === undefined || !isValid(record, now)) {
      this.#memory.delete(token);
      return undefined;
    }
    if (this.#memory.size >= memoryTokensMax) this.#memory.clear();
    const known = this.#memory.get(token)?.principal;
    const principal = known ?? { tokenId: record.id, scopes: new Set(record.scopes) };
    this.#memory.set(token, { record, principal, checkedAt });
    this.#noteUse(record, now);
    return principal;
  }

  /** Notes the minute of use, at most once a minute and token. */
  #noteUse(record: TokenRecord, now: number): void {
    const minute = now - (now % minuteMs);
    if (record.lastUsedAt === minute) return;
    this.#tokens.touch(record.id, minute).catch(this.#onTouchFailed);
  }
}

function isValid({ expiresAt, revokedAt }: TokenRecord, now: number): boolean {
  return revokedAt === undefined && (expiresAt === undefined || now < expiresAt);
}
