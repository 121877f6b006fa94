/** An OpenID provider that can be rotated and switched off: only its two documents, and tokens with any claims. */
import { createServer, type Server } from 'node:http';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import type { Cleanup } from '../support/clean-up.ts';
import { listen } from '../support/listen.ts';

/** In place of a type. */
export const absent = Symbol('absent');

export interface Signer {
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

export async function makeSigner(kid: string, alg = 'ES256'): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg } };
}

export class Issuer {
  readonly url: string;
  signers: readonly Signer[];
  /** What every request gets in place of an answer. */
  failure: number | undefined;
  /** Spaces after the keys. */
  padding = 0;
  keyRequests = 0;
  #read = Promise.withResolvers<undefined>();

  private constructor(server: Server, port: number, signers: readonly Signer[]) {
    this.url = `http://127.0.0.1:${port}`;
    this.signers = signers;
    server.on('request', ({ url = '' }, response) => {
      if (this.failure !== undefined) response.writeHead(this.failure).end();
      else if (url === '/keys') {
        this.keyRequests += 1;
        this.#read.resolve(undefined);
        this.#read = Promise.withResolvers();
        const keys = JSON.stringify({ keys: this.signers.map(({ jwk }) => jwk) });
        response.end(keys + ' '.repeat(this.padding));
      } else response.end(JSON.stringify({ issuer: this.url, jwks_uri: `${this.url}/keys` }));
    });
  }

  /** Resolves at the next request for the keys. */
  get keysRead(): Promise<undefined> {
    return this.#read.promise;
  }

  static async start(scope: Cleanup, ...signers: readonly Signer[]): Promise<Issuer> {
    const server = createServer();
    return new Issuer(server, await listen(scope, server), signers);
  }

  /** @param now milliseconds since 1970. */
  sign(
    now: number,
    claims: Readonly<Record<string, unknown>> = {},
    { signer = this.signers[0], typ = 'at+jwt' }: { readonly signer?: Signer | undefined; readonly typ?: unknown } = {},
  ): Promise<string> {
    if (signer === undefined) throw new Error('The issuer has no key');
    const seconds = Math.floor(now / 1000);
    const all: Record<string, unknown> = {
      iss: this.url,
      aud: 'plants',
      sub: 'ada',
      exp: seconds + 600,
      scope: 'plants:read',
      ...claims,
    };
    return new SignJWT(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)))
      .setProtectedHeader({
        alg: signer.jwk.alg ?? '',
        kid: signer.jwk.kid ?? '',
        ...(typ === absent ? {} : { typ: typ as string }),
      })
      .sign(signer.privateKey);
  }
}
