/** The JSON vectors as bodies of createPlant: each gets the number of its error, sent at once or in chunks. test/json defines them. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { type Expected, vectors } from '../json/vectors.ts';
import { assertError } from '../support/assert-reply.ts';
import { assertServes } from '../support/plants.ts';
import { request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after });

const codeOf: Readonly<Record<Expected, ErrorCode>> = {
  // Well formed, but not a plant.
  accept: 'plant_invalid',
  'not-utf8': 'body_not_utf8',
  malformed: 'json_malformed',
  'duplicate-member': 'json_member_duplicate',
  'too-many-members': 'json_members_too_many',
  'unpaired-surrogate': 'json_surrogate_unpaired',
  'too-deep': 'json_too_deep',
};

/** Vectors with a special result as a body. */
const others = new Map<string, ErrorCode | 'created'>([
  ['white space: {<0A>"name":<0A>"fern"<0A>,"id":2<0A>}', 'created'],
]);

describe('createPlant, sent the JSON vector', () => {
  for (const { name, bytes, expected } of vectors) {
    const outcome = bytes.length === 0 ? 'body_missing' : (others.get(name) ?? codeOf[expected]);
    it(`${name}: ${outcome}`, async () => {
      const half = Math.ceil(bytes.length / 2);
      const chunks = [bytes.subarray(0, half), bytes.subarray(half)].filter((chunk) => chunk.length > 0);
      for (const body of [bytes, chunks]) {
        const reply = await request(service, { body });
        if (outcome === 'created') assert.equal(reply.status, 200);
        else assertError(reply, outcome);
      }
    });
  }

  it('followed by a plant: it is stored', () => assertServes(service));
});
