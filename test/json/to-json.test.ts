/** toJson(): bigints as digits, everything else like JSON.stringify. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseJson } from '../../src/json/parse-json.ts';
import { toJson } from '../../src/json/to-json.ts';

describe('toJson', () => {
  it('prints a bigint as its digits, at any depth', () => {
    const plant = { id: 9007199254740993n, name: 'fern', related: [{ id: -9223372036854775808n }] };
    assert.equal(toJson(plant), '{"id":9007199254740993,"name":"fern","related":[{"id":-9223372036854775808}]}');
    assert.equal(toJson(0n), '0');
  });

  it('omits undefined members', () => {
    assert.equal(toJson({ tag: undefined, name: '' }), '{"name":""}');
  });

  it('writes names with quotes, control characters and __proto__ like any other', () => {
    assert.equal(toJson({ 'a"\n': 1, ['__proto__']: 2 }), String.raw`{"a\"\n":1,"__proto__":2}`);
  });

  for (const value of [undefined, [undefined], () => 1, { a: Symbol('a') }]) {
    it(`rejects ${typeof value} ${Object.keys(value ?? {}).join()}`, () => {
      assert.throws(() => toJson(value), { name: 'TypeError', message: /^Cannot write JSON: / });
    });
  }

  it('equals JSON.stringify without bigints', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) =>
        assert.equal(toJson(value), JSON.stringify(value)),
      ),
    );
  });

  it('writes what parseJson() reads, for any int64', () => {
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    fc.assert(fc.property(fc.array(int64), (values) => assert.deepEqual(parseJson(toJson(values)), values)));
  });
});
