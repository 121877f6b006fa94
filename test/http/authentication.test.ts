/**
 * Invalid credentials of every kind, those of a few kinds for every protected operation, and the
 * exact responses of RFC 6750. tokens.test.ts tests the life of a token.
 */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Operation } from '../../src/contract/operations.ts';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { scopes } from '../../src/domain/principal.ts';
import type { Scope } from '../../src/domain/principal.ts';
import { assertError } from '../support/assert-reply.ts';
import { assertServes, nextId } from '../support/plants.ts';
import { readPlants } from '../support/store-under-test.ts';
import { contract } from '../support/read-contract.ts';
import { request } from '../support/request.ts';
import { sendRaw } from '../edge/connection.ts';
import type { RequestOptions } from '../support/request.ts';
import { startService } from '../support/start-service.ts';
import { createToken, revokeToken } from '../support/tokens.ts';

const service = await startService({ after });
const expired = await createToken(service, scopes, { lifeMs: 1 });
const revoked = await createToken(service, scopes);
await revokeToken(service, revoked.id);
const reader = await createToken(service, ['plants:read']);
/** Tokens with every scope but one, and with this one alone. */
const [lackingTokens, onlyTokens] = [new Map<Scope, string>(), new Map<Scope, string>()];
for (const scope of scopes) {
  const others = scopes.filter((other) => other !== scope);
  lackingTokens.set(scope, (await createToken(service, others)).token);
  onlyTokens.set(scope, (await createToken(service, [scope])).token);
}

const operations = [...contract.operations.values()];
const token = service.token;
const ownToken = reader.token;
/** A token with a wrong digit in the checksum. */
const wrongChecksum = ownToken.slice(0, -1) + (ownToken.endsWith('0') ? '1' : '0');

const challenge = 'Bearer realm="plants"';
const challengeOf: Partial<Record<ErrorCode, string>> = {
  token_missing: challenge,
  token_invalid: `${challenge}, error="invalid_token"`,
  credentials_misplaced: `${challenge}, error="invalid_request"`,
};

/** The value of Authorization, or several; undefined omits the field. */
const credentials: readonly (readonly [about: string, value: string | string[] | undefined, code: ErrorCode])[] = [
  ['no Authorization field', undefined, 'token_missing'],
  ['an empty one', '', 'token_missing'],
  ['another scheme', 'Basic cGxhbnQ6c3RvcmU=', 'token_missing'],
  ['the token without its scheme', token, 'token_missing'],
  ['a scheme that begins alike', `Bearers ${token}`, 'token_missing'],
  ['no space after the scheme', `Bearer${token}`, 'token_missing'],
  ['a tab after the scheme', `Bearer\t${token}`, 'token_missing'],
  ['the scheme alone', 'Bearer', 'token_missing'],
  ['the scheme and a space', 'Bearer ', 'token_missing'],
  ['an unknown token', 'Bearer unknown', 'token_invalid'],
  ['an unknown token of our format', `Bearer plst_${'0'.repeat(49)}`, 'token_invalid'],
  ['a wrong checksum', `Bearer ${wrongChecksum}`, 'token_invalid'],
  ['an expired token', `Bearer ${expired.token}`, 'token_invalid'],
  ['a revoked token', `Bearer ${revoked.token}`, 'token_invalid'],
  ['another case of letters', `Bearer ${token.toUpperCase()}`, 'token_invalid'],
  ['the beginning of a token', `Bearer ${token.slice(0, -1)}`, 'token_invalid'],
  ['a token and more', `Bearer ${token} more`, 'token_invalid'],
  ['a token in quotes', `Bearer "${token}"`, 'token_invalid'],
  ['two tokens in one field', `Bearer ${token},${token}`, 'token_invalid'],
  ['two schemes in one field', `Bearer ${token}, Basic cGxhbnQ6c3RvcmU=`, 'token_invalid'],
  ['a token of 10 kB', `Bearer ${'x'.repeat(10_000)}`, 'token_invalid'],
  ['a letter beyond ASCII', `Bearer ${token.slice(0, -1)}é`, 'token_invalid'],
  ['SQL', `Bearer ' OR 1=1 --`, 'token_invalid'],
  ['two fields of the same token', [`Bearer ${token}`, `Bearer ${token}`], 'credentials_misplaced'],
  ['a good field and a bad one', [`Bearer ${token}`, 'Basic cGxhbnQ6c3RvcmU='], 'credentials_misplaced'],
  ['a bad field and a good one', ['Basic cGxhbnQ6c3RvcmU=', `Bearer ${token}`], 'credentials_misplaced'],
];

/** One credential of each kind, for all operations: they share the check of the others. */
const fewCredentials = credentials.filter(([about]) =>
  ['no Authorization field', 'an unknown token', 'two fields of the same token'].includes(about),
);

/** Returns a request that the operation accepts, except for credentials. */
function toRequest({ method, path, requestMediaTypes }: Operation): RequestOptions {
  const [mediaType] = requestMediaTypes;
  const common = { method, path: path.replaceAll(/\{\w+\}/g, '7'), token: null };
  if (mediaType === undefined) return common;
  return { ...common, headers: { 'content-type': mediaType }, body: `{"id":${nextId()},"name":"intruder"}` };
}

for (const operation of operations.filter(({ isPublic }) => !isPublic)) {
  describe(`${operation.operationId} is refused with`, () => {
    const send = (authorization: string | string[] | undefined, path = ''): ReturnType<typeof request> => {
      const options = toRequest(operation);
      return request(service, {
        ...options,
        path: (options.path ?? '') + path,
        headers: { ...options.headers, authorization },
      });
    };

    for (const [about, value, code] of operation.operationId === 'createPlant' ? credentials : fewCredentials) {
      it(about, async () => {
        const reply = await send(value);
        assertError(reply, code);
        assert.equal(reply.headers['www-authenticate'], challengeOf[code]);
      });
    }

    it('the same message for unknown, expired and revoked tokens', async () => {
      const texts = [];
      for (const wrong of ['unknown', expired.token, revoked.token]) texts.push((await send(`Bearer ${wrong}`)).text);
      assert.equal(new Set(texts).size, 1, texts.join());
    });

    it('a token in the query, with or without one in the header', async () => {
      for (const query of [`?access_token=${token}`, '?access_token', '?x=1&access_token=', '?access%5Ftoken=x']) {
        for (const value of [undefined, `Bearer ${token}`]) {
          const reply = await send(value, query);
          assertError(reply, 'credentials_misplaced', query);
          assert.equal(reply.headers['www-authenticate'], challengeOf.credentials_misplaced);
        }
      }
    });

    const { scope } = operation;
    if (scope !== undefined) {
      it(`every scope but ${scope}, and with no other needed`, async () => {
        // An expectation is checked next.
        const { headers, ...options } = { ...toRequest(operation), token: onlyTokens.get(scope) ?? '' };
        assertError(
          await request(service, { ...options, headers: { ...headers, expect: 'no' } }),
          'expectation_unsupported',
        );
        const reply = await send(`Bearer ${lackingTokens.get(scope) ?? ''}`);
        assertError(reply, 'scope_missing');
        const wanted = `${challenge}, error="insufficient_scope", scope="${scope}"`;
        assert.equal(reply.headers['www-authenticate'], wanted);
      });
    }
  });
}

describe('authentication', () => {
  const create = (authorization: string, path = '/plants'): ReturnType<typeof request> =>
    request(service, { path, headers: { authorization }, body: `{"id":${nextId()},"name":"a"}` });

  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
    it(`accepts the scheme as ${scheme}`, async () => assert.equal((await create(`${scheme} ${token}`)).status, 200));
  }

  it('ignores spaces around a token, which belong to the field', async () => {
    for (const value of [`Bearer  ${token}`, ` Bearer ${token} `, `Bearer ${token}\t`]) {
      const head = `POST /plants HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nAuthorization:${value}\r\n`;
      const body = `{"id":${nextId()},"name":"a"}`;
      const [reply] = await sendRaw(service, `${head}Content-Length: ${body.length}\r\n\r\n${body}`);
      assert.equal(reply?.status, 200, value.replace(token, 'TOKEN'));
    }
  });

  it('does not confuse a query value with a name', async () => {
    for (const query of ['?x=access_token=1', '?x=%26access_token=1', '?my_access_token=1', '?x=%']) {
      assert.equal((await create(`Bearer ${token}`, `/plants${query}`)).status, 200, query);
    }
  });

  it('refuses a token in a form', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const reply = await request(service, { token: null, headers, body: `access_token=${token}&id=1&name=a` });
    assertError(reply, 'credentials_misplaced');
  });

  it('logs why a token is refused, with its id if it has one', async () => {
    for (const [sent, reason, id] of [
      [wrongChecksum, 'malformed', undefined],
      ['unknown', 'unknown', undefined],
      [expired.token, 'expired', expired.id],
      [revoked.token, 'revoked', revoked.id],
    ] as const) {
      const requestId = `refused.${nextId()}`;
      await request(service, { path: '/plants', token: sent, headers: { 'x-request-id': requestId } });
      const line = await service.findLog((each) => each['requestId'] === requestId);
      assert.deepEqual([line['code'], line['reason'], line['token']], ['token_invalid', reason, id]);
    }
  });

  for (const { operationId, method, path } of operations.filter(({ isPublic }) => isPublic)) {
    it(`is not required for ${operationId}, whatever is sent`, async () => {
      for (const headers of [{}, { authorization: 'Bearer bad' }, { authorization: ['Basic x', 'Bearer y'] }]) {
        assert.equal((await request(service, { method, path, token: null, headers })).status, 200);
      }
    });
  }

  it('grant no access', async () => {
    await assertServes(service);
    const names = [...(await readPlants(service.dataDir)).values()].map(({ name }) => name);
    assert.equal(names.includes('intruder'), false);
  });
});
