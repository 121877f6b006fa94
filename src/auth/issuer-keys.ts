/**
 * The public keys of an OpenID provider: found by its discovery document, kept in memory, and read
 * again when they are old or a token names one that is not among them.
 */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { ServiceError } from '../domain/errors.ts';

/** Time after which the keys are read again, in milliseconds. Meanwhile the known ones serve. */
const freshMs = 600_000;
/** How long known keys serve while the provider does not respond, in milliseconds. */
const usableMs = 86_400_000;
/** Minimum time between two reads because of a key that is not known, in milliseconds. */
const unknownKeyMs = 30_000;
/** Minimum time between two reads while there are no keys, in milliseconds. */
const retryMs = 2_000;
/** Time for one of the two responses, in milliseconds. */
const timeoutMs = 5_000;
/** Maximum length of one of the two responses, in bytes. */
const responseBytesMax = 262_144;

export interface IssuerKeysOptions {
  /** The URL of the provider, as in the claim `iss`. */
  readonly issuer: string;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
  /** Called after each read of the keys, with the cause if it failed. */
  readonly onRead: (cause: unknown) => void;
}

export class IssuerKeys {
  readonly #options: IssuerKeysOptions;
  #known: { readonly find: JWTVerifyGetKey; readonly readAt: number } | undefined;
  #askedAt = -Infinity;
  #asking: Promise<void> | undefined;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
  }

  /**
   * Resolves to the key that a token names.
   * @throws ServiceError `issuer_unavailable` if no keys are known; an error of jose if the token
   * names none of them.
   */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const age = this.#options.elapsed() - (this.#known?.readAt ?? -Infinity);
    if (age >= usableMs) await this.#ask(retryMs);
    else if (age >= freshMs) void this.#ask(unknownKeyMs);
    try {
      return await this.#usable()(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
    }
    await this.#ask(unknownKeyMs);
    return this.#usable()(header, token);
  };

  #usable(): JWTVerifyGetKey {
    const { find, readAt } = this.#known ?? {};
    if (find === undefined || readAt === undefined || this.#options.elapsed() - readAt >= usableMs)
      throw new ServiceError('issuer_unavailable');
    return find;
  }

  /** Reads the keys, unless that was done within `pauseMs`. Never rejects. */
  async #ask(pauseMs: number): Promise<void> {
    const now = this.#options.elapsed();
    if (this.#asking === undefined && now - this.#askedAt < pauseMs) return;
    if (this.#asking === undefined) this.#askedAt = now;
    this.#asking ??= this.#read().finally(() => {
      this.#asking = undefined;
    });
    await this.#asking;
  }

  async #read(): Promise<void> {
    const { issuer, elapsed, onRead } = this.#options;
    try {
      const found = await fetchJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
      if (found['issuer'] !== issuer) throw new Error(`the provider names itself ${String(found['issuer'])}`);
      const url = found['jwks_uri'];
      if (typeof url !== 'string' || !isUsable(url, issuer)) throw new Error('jwks_uri is not an https URL');
      const keys = await fetchJson(url);
      // Known keys stay: an empty set would refuse every user.
      if (Array.isArray(keys['keys']) && keys['keys'].length === 0) throw new Error(`${url} responds with no keys`);
      this.#known = { find: createLocalJWKSet(keys as unknown as JSONWebKeySet), readAt: elapsed() };
      onRead(undefined);
    } catch (cause) {
      onRead(cause);
    }
  }
}

/** Whether keys may come from there: https, or http on this machine, as the issuer itself. */
function isUsable(url: string, issuer: string): boolean {
  if (!URL.canParse(url)) return false;
  return new URL(url).protocol === 'https:' || new URL(url).origin === new URL(issuer).origin;
}

async function fetchJson(url: string): Promise<Record<string, unknown>> {
  const headers = { accept: 'application/json' };
  const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok || response.body === null) throw new Error(`${url} responds with status ${response.status}`);
  const chunks: Uint8Array[] = [];
  let bytesLeft = responseBytesMax;
  for await (const chunk of response.body) {
    bytesLeft -= chunk.length;
    if (bytesLeft < 0) throw new Error(`${url} responds with more than ${responseBytesMax} bytes`);
    chunks.push(chunk);
  }
  const value: unknown = JSON.parse(new TextDecoder().decode(Buffer.concat(chunks)));
  if (typeof value !== 'object' || value === null) throw new Error(`${url} responds with no JSON object`);
  return value as Record<string, unknown>;
}
