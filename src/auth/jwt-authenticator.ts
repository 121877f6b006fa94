/**
 * Finds the principal of an access token of an OpenID provider (RFC 9068), with a cache. Each user
 * has a record beside the tokens of the service: it has the name for the change log, and can be
 * revoked.
 */
import { hash } from 'node:crypto';
import { errors, jwtVerify } from 'jose';
import {
  isReadable,
  type Principal,
  type Scope,
  stateOf,
  type TokenRecord,
  type TokenRefusal,
  userIdPrefix,
} from '../domain/principal.ts';
import { ServiceError } from '../domain/errors.ts';
import type { TokenStore } from '../domain/store.ts';
import type { Clock } from './authenticator.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import { readScopes } from './scope-claims.ts';

/** Maximum length of a token, in characters. */
const tokenLengthMax = 8_192;
/**
 * How long a verified token is not looked at again, in milliseconds: a check costs more than a
 * whole request. The record of a user that was revoked is noticed then, too.
 */
const cacheMs = 60_000;
/** Maximum number of cached tokens; one more clears the cache. */
const cachedTokensMax = 10_000;
/** Difference of clocks that is forgiven, in seconds. */
const skewSeconds = 60;
const minuteMs = 60_000;
const nameLengthMax = 100;
/** The end of the year 9999: no later time can be written in a reply. */
const latest = 253_402_300_799_999;

/** No symmetric one: a public key would be its secret. */
const algorithms = ['RS256', 'PS256', 'ES256', 'Ed25519', 'EdDSA'];
/** Several providers omit it; the audience keeps their ID tokens out. */
const types: readonly unknown[] = ['at+jwt', 'application/at+jwt', 'jwt', undefined];

/** Three parts in Base64url, the first of which is a JSON object (RFC 7519). */
const jwtPattern = /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/;

export interface JwtOptions {
  readonly issuer: string;
  readonly audience: string;
  /** The claims with the scopes; see `readScopes`. */
  readonly scopeClaims: readonly string[];
  readonly keys: Pick<IssuerKeys, 'find'>;
  readonly tokens: Pick<TokenStore, 'findByHash' | 'insert' | 'touch'>;
  readonly clock: Clock;
  /** Called if the record of a user cannot be stored; the request continues. */
  readonly onNoteFailed: (cause: unknown) => void;
}

interface CacheEntry {
  readonly principal: Principal;
  /** By the monotonic clock. */
  readonly until: number;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** What the service uses of a valid token. */
interface Verified {
  readonly subject: string;
  /** Seconds since 1970. */
  readonly expiry: number;
  readonly scopes: ReadonlySet<Scope>;
  readonly scopeOrigin: string;
}

export function isJwt(text: string): boolean {
  return text.length <= tokenLengthMax && jwtPattern.test(text);
}

export class JwtAuthenticator {
  readonly #options: JwtOptions;
  readonly #cache = new Map<string, CacheEntry>();
  readonly #lookups = new Map<string, Promise<Principal | TokenRefusal>>();
  /** By identity: a user with several new tokens gets one record. */
  readonly #admissions = new Map<string, Promise<boolean>>();

  constructor(options: JwtOptions) {
    this.#options = options;
  }

  /**
   * Returns the principal of a token for which `isJwt` is true, or why it is refused: it is not
   * valid here, or its user was revoked. Returns no promise if cached.
   * @throws ServiceError `issuer_unavailable`, or as the store does.
   */
  find(token: string): Principal | TokenRefusal | Promise<Principal | TokenRefusal> {
    const { clock } = this.#options;
    // Not the token itself: ten thousand would take 80 MB.
    const key = hash('sha256', token, 'base64');
    const cached = this.#cache.get(key);
    if (cached !== undefined && clock.elapsed() < cached.until)
      return clock.now() < cached.expiresAt ? cached.principal : refuse(details['exp'], cached.principal.tokenId);
    const shared = this.#lookups.get(key);
    if (shared !== undefined) return shared;
    const lookup = this.#lookUp(token, key).finally(() => this.#lookups.delete(key));
    this.#lookups.set(key, lookup);
    return lookup;
  }

  async #lookUp(token: string, key: string): Promise<Principal | TokenRefusal> {
    const { issuer, clock } = this.#options;
    this.#cache.delete(key);
    const startedAt = clock.elapsed();
    const verified = await this.#verify(token);
    if ('reason' in verified) return verified;
    const { subject, expiry, scopes, scopeOrigin } = verified;
    // No token can be sent that has this hash: a header field has no line feed.
    const identity = hash('sha256', `${issuer}\n${subject}`, 'hex');
    const name = Array.from(subject).slice(0, nameLengthMax).join('');
    const id = `${userIdPrefix}${identity.slice(0, 16)}`;
    const admission =
      this.#admissions.get(id) ??
      this.#admit({ id, hash: identity, name, scopes: [], createdAt: clock.now() }).finally(() =>
        this.#admissions.delete(id),
      );
    this.#admissions.set(id, admission);
    if (!(await admission)) return refuse('The user in the claim sub is revoked', id);
    const expiresAt = Math.min(expiry * 1000, latest);
    const principal = { tokenId: id, name, expiresAt, limitKey: id, scopes, scopeOrigin };
    if (this.#cache.size >= cachedTokensMax) this.#cache.clear();
    this.#cache.set(key, {
      principal,
      until: startedAt + cacheMs,
      expiresAt: expiresAt + skewSeconds * 1000,
    });
    return principal;
  }

  async #verify(token: string): Promise<Verified | TokenRefusal> {
    const { issuer, audience, scopeClaims, keys, clock } = this.#options;
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys.find, {
        issuer,
        audience,
        algorithms,
        clockTolerance: skewSeconds,
        currentDate: new Date(clock.now()),
      });
      const { sub: subject, exp: expiry } = payload;
      const typ: unknown = protectedHeader.typ;
      if (!types.includes(typeof typ === 'string' ? typ.toLowerCase() : typ)) return refuse(details['typ']);
      if (expiry === undefined) return refuse('The claim exp is missing');
      if (!isSubject(subject)) return refuse(details['sub']);
      const { scopes, origin } = readScopes(payload, scopeClaims, audience);
      return { subject, expiry, scopes, scopeOrigin: origin };
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      return toRefusal(error);
    }
  }

  /** Resolves to whether the user may come in. Saves when, at most once a minute for each token. */
  async #admit(record: TokenRecord): Promise<boolean> {
    const { tokens, clock, onNoteFailed } = this.#options;
    const now = clock.now();
    const known = await tokens.findByHash(record.hash);
    if (known !== undefined && stateOf(known, now) !== 'active') return false;
    const use = known === undefined ? tokens.insert(record) : tokens.touch(record.id, now - (now % minuteMs));
    // The first request of a user waits, so that its change has an author.
    if (known === undefined) await use.catch(onNoteFailed);
    else use.catch(onNoteFailed);
    return true;
  }
}

/** What is wrong with each claim, if it is present. Without quotes (RFC 6750, section 3). */
const details: Readonly<Record<string, string>> = {
  iss: 'The claim iss names another issuer',
  aud: 'The claim aud does not name this service',
  exp: 'The token has expired, by the claim exp',
  nbf: 'The token is not valid yet, by the claim nbf',
  sub: 'The claim sub is missing, or not a readable text',
  typ: 'The type (typ) is not at+jwt or JWT',
};

/** @param detail only of a token whose signature is valid: strangers learn nothing. */
function refuse(detail = 'A claim is not valid', tokenId?: string): TokenRefusal {
  return { reason: detail, detail, ...(tokenId === undefined ? {} : { tokenId }) };
}

function toRefusal(error: unknown): TokenRefusal {
  // jose checks the claims after the signature.
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired) {
    const { claim, reason } = error;
    return refuse(reason === 'check_failed' ? details[claim] : `The claim ${claim} is ${reason}`);
  }
  // A JOSEError repeats parts of the token. Other errors are about the key that the token names.
  const isOfToken = error instanceof errors.JOSEError;
  return { reason: isOfToken ? error.code : `The key cannot be used: ${String(error)}` };
}

/** Refuses a subject that is empty or cannot be stored: such a user could not be revoked. */
function isSubject(claim: unknown): claim is string {
  return typeof claim === 'string' && claim !== '' && claim.isWellFormed() && isReadable(claim);
}
