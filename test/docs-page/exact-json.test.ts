/** JSON as the documentation page reads and writes it. The globals that it replaces are restored afterwards. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { installExactJson } from '../../console/docs/exact-json.ts';

const rounded = JSON.parse('[9007199254740993]') as unknown;
const parseJson = Object.getOwnPropertyDescriptor(JSON, 'parse') ?? {};
const readBody = Object.getOwnPropertyDescriptor(Response.prototype, 'json') ?? {};
before(() => installExactJson());
after(() => {
  Object.defineProperty(JSON, 'parse', parseJson);
  Object.defineProperty(Response.prototype, 'json', readBody);
  Reflect.deleteProperty(BigInt.prototype, 'toJSON');
});
const read = (text: string): unknown => JSON.parse(text);

describe('installExactJson()', () => {
  it('reads as a bigint what a double would round, and nothing else', () => {
    assert.deepEqual(rounded, [9007199254740992]);
    assert.deepEqual(read('[9007199254740993, -9223372036854775808, 9007199254740991, 7, 0.1]'), [
      9007199254740993n,
      -9223372036854775808n,
      9007199254740991,
      7,
      0.1,
    ]);
    assert.deepEqual(read('{"a":"9007199254740993","b":1e300}'), { a: '9007199254740993', b: 1e300 });
    assert.deepEqual(read('7'), 7);
    assert.throws(() => read('{"a":9007199254740993'), SyntaxError);
  });

  it('writes its digits', () => {
    const text = '{"id":9007199254740993,"ids":[-9223372036854775808,7]}';
    assert.equal(JSON.stringify(read(text)), text);
    assert.equal(JSON.stringify(read(text), null, 2).includes('"id": 9007199254740993,'), true);
  });

  it('leaves a reviver its numbers', () => {
    const seen = JSON.parse('[9007199254740993]', (_key, value: unknown) => value) as unknown;
    assert.deepEqual(seen, [9007199254740992]);
  });

  it('is how the body of a Response is read', async () => {
    assert.deepEqual(await new Response('[9007199254740993]').json(), [9007199254740993n]);
  });
});
