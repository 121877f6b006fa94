/**
 * Ids over HTTP: exact over all of int64 in any spelling, or refused. test/json tests the parser.
 */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { assertError, assertPlant } from '../support/assert-reply.ts';
import { assertServes } from '../support/plants.ts';
import { readPlants } from '../support/store-under-test.ts';
import { request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after });

const forty = `7.${'0'.repeat(38)}`;
const taken: readonly (readonly [spelling: string, id: bigint])[] = [
  ['9223372036854775807', 2n ** 63n - 1n],
  ['-9223372036854775808', -(2n ** 63n)],
  ['9223372036854775807.0', 2n ** 63n - 1n],
  ['-922337203685477580.8e1', -(2n ** 63n)],
  ['9223372036854775806', 2n ** 63n - 2n],
  ['9007199254740991', 2n ** 53n - 1n],
  ['9007199254740992', 2n ** 53n],
  ['9007199254740993', 2n ** 53n + 1n],
  ['-9007199254740993', -(2n ** 53n) - 1n],
  ['1000000000000000001', 10n ** 18n + 1n],
  ['1e18', 10n ** 18n],
  ['0', 0n],
  ['-0', 0n],
  ['-0.0', 0n],
  ['0e999999999', 0n],
  ['7', 7n],
  ['7.0', 7n],
  ['70e-1', 7n],
  ['0.7E+1', 7n],
  [forty, 7n],
  ['-1', -1n],
];

const refused = [
  '9223372036854775808',
  '-9223372036854775809',
  '9223372036854775807.1',
  '18446744073709551616',
  '7.5',
  '1e-1',
  '1e19',
  '1e400',
  '-1e400',
  '1e999999999',
  '1e-999999999',
  `${forty}0`,
  '7'.repeat(40_000),
  '"7"',
  '""',
  'null',
  'true',
  '[7]',
  '{"id":7}',
];

const malformed = ['01', '+1', '.5', '5.', '-', '1e', '0x7', 'NaN', 'Infinity', '-Infinity', '1_000', '7n', '٧', "'7'"];

describe('the id of a plant', () => {
  it('is stored exactly, and every spelling of an integer is the same plant', async () => {
    for (const [spelling, id] of taken) {
      const reply = await request(service, { body: `{"id":${spelling},"name":"plant ${id}"}` });
      assertPlant(reply, { name: `plant ${id}` });
      assert.ok(readPlants(service.dataDir).has(id), spelling);
    }
    const wanted = new Set(taken.map(([, id]) => id));
    assert.deepEqual(new Set(readPlants(service.dataDir).keys()), wanted, 'and no other id is stored');
  });

  for (const text of refused) {
    it(`is not ${text.slice(0, 50)}${text.length > 50 ? `… (${text.length} characters)` : ''}`, async () => {
      assertError(await request(service, { body: `{"id":${text},"name":"refused"}` }), 'plant_id_invalid');
    });
  }

  for (const text of malformed) {
    it(`is no JSON as ${text}`, async () => {
      assertError(await request(service, { body: `{"id":${text},"name":"refused"}` }), 'json_malformed');
    });
  }

  it('is refused in constant time, however large its exponent', async () => {
    const timeOf = async (text: string): Promise<number> => {
      const begun = performance.now();
      assertError(await request(service, { body: `{"id":${text},"name":"a"}` }), 'plant_id_invalid');
      return performance.now() - begun;
    };
    // Computing so many digits would take minutes and gigabytes.
    for (const text of ['1e999999999', `1e${'9'.repeat(30)}`, `-${'9'.repeat(60_000)}`]) {
      assert.ok((await timeOf(text)) < 10_000, text.slice(0, 40));
    }
    await assertServes(service);
  });

  it('is never refused and stored', () => {
    const names = [...readPlants(service.dataDir).values()].map(({ name }) => name);
    assert.equal(names.includes('refused'), false);
  });
});
