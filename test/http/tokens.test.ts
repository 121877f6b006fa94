/** The life of a token in a running service: created, used, revoked. authentication.test.ts tests the responses. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { scopes } from '../../src/domain/principal.ts';
import { assertError } from '../support/assert-reply.ts';
import { ndjson, sendImport } from '../support/bulk.ts';
import { passTime } from '../support/pass-time.ts';
import { nextId } from '../support/plants.ts';
import { postPlant, request } from '../support/request.ts';
import { sendRaw } from '../edge/connection.ts';
import type { Reply } from '../support/reply.ts';
import { startService } from '../support/start-service.ts';
import { createToken, listTokens, revokeToken } from '../support/tokens.ts';

const service = await startService({ after });

/** Documented: a revoked token is refused within this time. */
const revocationMs = 1_000;
const pauseMs = 20;

const create = (token: string): Promise<Reply> => postPlant(service, { id: nextId(), name: 'a' }, { token });

/** How long a token is used at most, in milliseconds. */
const useMsMax = 10_000;

/** Uses the token until it is refused. Returns when the last request was sent that was accepted: a slow machine makes the refusal late. */
async function useUntilRefused(token: string): Promise<number> {
  const limit = performance.now() + useMsMax;
  for (let acceptedAt = -Infinity; ;) {
    const sentAt = performance.now();
    const reply = await create(token);
    if (reply.status !== 200 || sentAt > limit) {
      assertError(reply, 'token_invalid', `after ${useMsMax} ms`);
      return acceptedAt;
    }
    acceptedAt = sentAt;
    await sleep(pauseMs);
  }
}

describe('a token', () => {
  it('is refused within a second of its revocation while in use, and stays refused', async () => {
    const { token, id } = await createToken(service, ['plants:write']);
    assert.equal((await create(token)).status, 200);
    const using = useUntilRefused(token);
    await revokeToken(service, id);
    const revokedAt = performance.now();
    const acceptedAt = await using;
    assert.ok(acceptedAt - revokedAt < revocationMs);
    assertError(await create(token), 'token_invalid');
    assert.equal((await create(service.token)).status, 200, 'no other one is revoked');
  });

  it('stores nothing more once it is revoked, also by an import that has begun', async () => {
    const { token, id } = await createToken(service, ['plants:write']);
    const [before, after] = [nextId(), nextId()];
    // More bytes than a part that is stored at once.
    const rows = `{"id":${before},"name":"${'a'.repeat(500)}"}\n`.repeat(600);
    const head = [
      'POST /plants/import HTTP/1.1',
      'Host: a',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/x-ndjson',
      'Transfer-Encoding: chunked',
    ].join('\r\n');
    const toChunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
    const [reply] = await sendRaw(service, [
      `${head}\r\n\r\n${toChunk(rows)}`,
      async () => {
        for (let status = 404; status === 404;) ({ status } = await request(service, { path: `/plants/${before}` }));
        await revokeToken(service, id);
        await passTime(revocationMs);
      },
      `${toChunk(`{"id":${after},"name":"a"}\n`)}0\r\n\r\n`,
    ]);
    assertError(reply, 'token_invalid');
    assert.match(reply?.text ?? '', /The rows up to line \d+ of this request are done/);
    assertError(await request(service, { path: `/plants/${after}` }), 'plant_unknown');
  });

  it('reads nothing more once it is revoked, also by an export that has begun', async () => {
    const { token, id } = await createToken(service, ['plants:read']);
    // More than the buffers of both sides hold.
    const rows = Array.from({ length: 20_000 }, () => `{"id":${nextId()},"name":"${'x'.repeat(1_000)}"}\n`).join('');
    assert.equal((await sendImport(service, ndjson, rows)).status, 200);
    const headers = { authorization: `Bearer ${token}` };
    const outgoing = get({ host: '127.0.0.1', port: service.port, path: '/plants/export', headers });
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    await revokeToken(service, id);
    await passTime(revocationMs);
    outgoing.on('error', () => undefined);
    await assert.rejects(response.toArray(), { code: 'ECONNRESET' });
    // The client gets 401 when it asks again; nothing is wrong with the service.
    assert.equal((await request(service, { path: '/plants', token })).status, 401);
    assert.deepEqual(
      service.logLines.filter(({ level }) => level === 'error'),
      [],
    );
  });

  it('has every scope if it was the first', async () => {
    const [first] = await listTokens(service);
    assert.deepEqual([first?.name, first?.scopes], ['initial', scopes]);
  });
});
