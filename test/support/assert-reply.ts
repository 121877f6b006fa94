/** Assertions on responses. reply.ts already checks them against openapi.yaml. */
import assert from 'node:assert/strict';
import { errors } from '../../src/domain/error-registry.ts';
import type { ErrorCode } from '../../src/domain/errors.ts';
import type { Reply } from './reply.ts';

/** Fails unless the response is this error; shows the actual response. */
export function assertError(reply: Reply | undefined, code: ErrorCode, about?: string): void {
  assert.ok(reply !== undefined, `${about ?? code}: there is no answer`);
  const { number } = errors[code];
  const context = `${about ?? code}: ${reply.status} ${reply.text.slice(0, 300)}`;
  assert.deepEqual([reply.status, reply.number], [Math.floor(number / 100), number], context);
}

/** Fails unless the response is 200 with exactly this plant. */
export function assertPlant(reply: Reply, plant: { readonly name: string; readonly tag?: string | undefined }): void {
  const { name, tag } = plant;
  assert.equal(reply.status, 200, reply.text.slice(0, 300));
  assert.deepEqual(JSON.parse(reply.text), tag === undefined ? { name } : { name, tag });
}
