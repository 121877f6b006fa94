/** Conditions on resources without an ETag, and parts of a plant: nothing is ignored that the client relies on. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { assertError } from '../support/assert-reply.ts';
import { nextId } from '../support/plants.ts';
import { request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';
import { plant } from '../edge/bytes.ts';

const service = await startService({ after });
const tag = '"Gm3kq0V1xZc7T2b9yJ4LwA"';

describe('a condition on a resource without an ETag', () => {
  for (const { method, path, headers, isMet } of [
    { method: 'POST', path: '/plants', headers: { 'if-match': tag }, isMet: false },
    { method: 'POST', path: '/plants', headers: { 'if-match': '*' }, isMet: true },
    { method: 'POST', path: '/plants', headers: { 'if-none-match': '*' }, isMet: false },
    { method: 'POST', path: '/plants', headers: { 'if-none-match': tag }, isMet: true },
    { method: 'GET', path: '/plants', headers: { 'if-match': tag }, isMet: false },
    { method: 'GET', path: '/plants', headers: { 'if-none-match': '*' }, isMet: true },
    { method: 'GET', path: '/livez', headers: { 'if-match': tag }, isMet: false },
    { method: 'PATCH', path: '/webhooks/9f86d081884c7d65', headers: { 'if-match': tag }, isMet: false },
    { method: 'DELETE', path: '/webhooks/9f86d081884c7d65', headers: { 'if-none-match': '*' }, isMet: false },
  ]) {
    it(`${JSON.stringify(headers)} of ${method} ${path} is ${isMet ? 'met' : 'not met'}`, async () => {
      const id = nextId();
      const bodies: Record<string, string> = { POST: plant(id), PATCH: '{"enabled":true}' };
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const body = bodies[method];
      const sent = body === undefined ? {} : { body };
      const fields = body === undefined ? headers : { ...headers, 'content-type': type };
      const reply = await request(service, { method, path, ...sent, headers: fields });
      if (isMet) assert.equal(reply.status, 200);
      else assertError(reply, 'condition_not_met');
      if (method === 'POST')
        assert.equal((await request(service, { path: `/plants/${id}` })).status, isMet ? 200 : 404);
    });
  }
});

it('PUT of a part of a plant is refused', async () => {
  const fields = { 'content-range': 'bytes 0-2/9', 'content-type': 'application/json' };
  const path = `/plants/${nextId()}`;
  assertError(
    await request(service, { method: 'PUT', path, body: '{"name":"a"}', headers: fields }),
    'request_malformed',
  );
});
