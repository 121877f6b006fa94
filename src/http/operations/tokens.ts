/** Handlers of tokens: what `plant-store token` does, for callers that may manage tokens. */
import { issueToken } from '../../auth/token.ts';
import { ServiceError } from '../../domain/errors.ts';
import { isReadable, stateOf, type TokenRecord } from '../../domain/principal.ts';
import type { Token } from '../../domain/schemas.ts';
import { toJson } from '../../json/to-json.ts';
import { created, noContent, ok, scopeMissing, toOptionalTime, toTime } from '../wire/reply.ts';
import type { Handler } from './call.ts';

/** Maximum number of tokens that can be used; one list has them all. */
const tokensMax = 10_000;

const unreadableName = '"name" has a character that is invisible or controls the text';

type TokenOperation = 'createToken' | 'listTokens' | 'getOwnToken' | 'revokeToken';
type TokenHandlers = { readonly [Id in TokenOperation]: Handler<Id> };

/** @param now milliseconds since 1970. */
export function toTokenHandlers(now: () => number): TokenHandlers {
  return {
    /**
     * POST /tokens: creates a token with some of the principal's scopes, and returns it, once. It does
     * not outlive the principal's (decision AC10).
     */
    createToken: async ({ body: { name, scopes, expiresIn }, principal }, { tokens }) => {
      // The pattern of the description has ASCII alone: some languages match bytes.
      if (!isReadable(name)) throw new ServiceError('token_request_invalid', { detail: unreadableName });
      const lacking = scopes.find((scope) => !principal.scopes.has(scope));
      if (lacking !== undefined) throw scopeMissing(lacking);
      const at = now();
      const expiresAt = Math.min(
        expiresIn === undefined ? Infinity : at + expiresIn * 1_000,
        principal.expiresAt ?? Infinity,
      );
      const expiry = expiresAt === Infinity ? {} : { expiresAt };
      const { token, record } = issueToken({ name, scopes, createdBy: principal.tokenId, now: at, ...expiry });
      await tokens.insert(record, tokensMax);
      return created(toJson({ ...toToken(record, at), token }), `./tokens/${record.id}`);
    },

    /** GET /tokens: all tokens, without their secrets. */
    listTokens: async (_call, { tokens }) => {
      const at = now();
      return ok(toJson((await tokens.list()).map((record) => toToken(record, at))));
    },

    /** GET /tokens/self: the token of the request. */
    getOwnToken: ({ principal: { tokenId: id, name, scopes, expiresAt } }) =>
      ok(toJson({ id, name, scopes: [...scopes], expiresAt: toOptionalTime(expiresAt) })),

    /** DELETE /tokens/{tokenId}: revokes a token. */
    revokeToken: async ({ parameters: { tokenId } }, { tokens }) => {
      if (!(await tokens.revoke(tokenId, now()))) throw new ServiceError('token_unknown');
      return noContent();
    },
  };
}

function toToken(record: TokenRecord, now: number): { readonly [Member in keyof Token]: Token[Member] | undefined } {
  const { id, name, scopes, createdAt, createdBy, expiresAt, revokedAt, lastUsedAt } = record;
  return {
    id,
    name,
    scopes,
    state: stateOf(record, now),
    createdAt: toTime(createdAt),
    createdBy,
    expiresAt: toOptionalTime(expiresAt),
    revokedAt: toOptionalTime(revokedAt),
    lastUsedAt: toOptionalTime(lastUsedAt),
  };
}
