/** POST /plants/batch with many ids: the limits of their number and of the body, which others do not have. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import { assertError } from '../support/assert-reply.ts';
import type { Reply } from '../support/reply.ts';
import { request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';

const bytesMax = 524_288;
const idsMax = 20_000;

const service = await startService({ after });

/** The longest ids, in a body of this length. */
function send(ids: number, bytes: number): Promise<Reply> {
  const plants = Array.from({ length: ids }, (_, at) => -(2n ** 63n) + BigInt(at)).join(',');
  const body = `{"action":"clearTag","plants":[${plants}]}`.padEnd(bytes, ' ');
  assert.equal(body.length, bytes);
  return request(service, { path: '/plants/batch', body });
}

describe('the length of a batch', () => {
  it('is 20,000 ids in 512 KiB; one byte more is refused', async () => {
    const reply = await send(idsMax, bytesMax);
    assert.equal(reply.status, 200, reply.text);
    const { read, refused } = JSON.parse(reply.text) as Record<string, unknown>;
    assert.deepEqual([read, refused], [idsMax, idsMax]);
    assertError(await send(idsMax, bytesMax + 1), 'body_too_large');
  });

  it('is that of few at once: a token sends four', async () => {
    const head =
      `POST /plants/batch HTTP/1.1\r\nHost: plants\r\nAuthorization: Bearer ${service.token}\r\n` +
      `Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${bytesMax}\r\n\r\n`;
    const waiting = Array.from({ length: 4 }, () => connect(service.port, '127.0.0.1'));
    for (const socket of waiting) socket.write(head);
    // Each has its place once it is asked for the body.
    for (const socket of waiting) await once(socket, 'data');
    assertError(await send(1, 100), 'store_busy');
    for (const socket of waiting) socket.destroy();
    for (const socket of waiting) if (!socket.closed) await once(socket, 'close');
    for (;;) {
      const reply = await send(1, 100);
      if (reply.status === 200) break;
      assertError(reply, 'store_busy');
    }
  });
});
