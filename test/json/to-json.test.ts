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

  it('escapes what ends lines, controls terminals or turns text, and nothing else', () => {
    const escaped = [0x7f, 0x85, 0x9f, 0x61c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2066, 0x2069];
    for (const point of escaped)
      assert.equal(toJson(String.fromCodePoint(point)), `"\\u${point.toString(16).padStart(4, '0')}"`);
    for (const point of [0x7e, 0xa0, 0x61b, 0x200d, 0x2010, 0x2027, 0x202f, 0x2065, 0x206a, 0xfeff, 0x1f335])
      assert.equal(toJson(String.fromCodePoint(point)), `"${String.fromCodePoint(point)}"`);
    assert.equal(toJson({ '\u202ea': ['\u2028\u2029'] }), String.raw`{"\u202ea":["\u2028\u2029"]}`);
  });

  it('is the same value as that of JSON.stringify without bigints', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) =>
        assert.deepEqual(JSON.parse(toJson(value)), JSON.parse(JSON.stringify(value))),
      ),
    );
  });

  it('writes what parseJson() reads, for any int64', () => {
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    fc.assert(fc.property(fc.array(int64), (values) => assert.deepEqual(parseJson(toJson(values)), values)));
  });
});
