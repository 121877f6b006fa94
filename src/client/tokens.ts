/** The operations on tokens. Errors, retries and time-outs are those of the client. */
import { tokenUnknown } from '../domain/error-numbers.ts';
import type { NewToken, OwnToken, Token, TokenWithSecret } from '../domain/schemas.ts';
import { toJson } from '../json/to-json.ts';
import type { CallOptions } from './options.ts';
import { parseOwnToken, parseTokens, parseTokenWithSecret } from './responses.ts';
import type { Transport } from './transport.ts';

const path = '/tokens';

export class Tokens {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All tokens in the order of their creation, expired and revoked ones too, without secrets. */
  async list({ signal }: CallOptions = {}): Promise<readonly Token[]> {
    return parseTokens((await this.#transport.send({ method: 'GET', path, signal })).text);
  }

  /** The token of the client: its name, what it allows, and when it expires. Needs no scope. */
  async self({ signal }: CallOptions = {}): Promise<OwnToken> {
    return parseOwnToken((await this.#transport.send({ method: 'GET', path: `${path}/self`, signal })).text);
  }

  /**
   * Creates a token with some of the scopes of the client's own. The result has the token
   * itself; it is shown only now. Not sent again after a lost response, as that would make a
   * second one.
   */
  async create({ name, scopes, expiresIn }: NewToken, { signal }: CallOptions = {}): Promise<TokenWithSecret> {
    const body = toJson({ name, scopes, expiresIn });
    const answer = await this.#transport.send({ method: 'POST', path, body, repetition: 'harmful', signal }, [201]);
    return parseTokenWithSecret(answer.text);
  }

  /** Resolves to false if no token has this id. */
  async revoke(id: string, { signal }: CallOptions = {}): Promise<boolean> {
    const target = `${path}/${encodeURIComponent(id)}`;
    const answer = await this.#transport.send({ method: 'DELETE', path: target, signal }, [204, 404]);
    if (answer.status !== 404) return true;
    const error = this.#transport.toError(answer);
    if (error.number !== tokenUnknown) throw error;
    return false;
  }
}
