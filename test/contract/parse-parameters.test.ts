/** Parameters of path, query and header fields, with the limits of the description. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RawParameters } from '../../src/contract/parse-parameters.ts';
import { ServiceError } from '../../src/domain/errors.ts';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { contract, toContract } from '../support/read-contract.ts';

const nothing: RawParameters = { path: {}, query: '', headers: {} };
const astral = '\u{1F33F}';

function parserOf(
  operationId: Parameters<typeof contract.parseParameters>[0],
): (raw: Partial<RawParameters>) => unknown {
  const parse = contract.parseParameters(operationId);
  return (raw) => parse({ ...nothing, ...raw });
}

function assertRefused(act: () => unknown, code: ErrorCode, detail?: string): void {
  const wanted = new ServiceError(code, detail === undefined ? {} : { detail });
  assert.throws(act, { code, message: wanted.message });
}

function toIds(count: number): string {
  return Array.from({ length: count }, (_, at) => `id=${at}`).join('&');
}

describe('a query', () => {
  /** Operation, query, values other than defaults. */
  const good: [Parameters<typeof parserOf>[0], query: string, values: object][] = [
    ['listPlants', '', {}],
    ['listPlants', 'limit=1', { limit: 1 }],
    ['listPlants', 'limit=1000', { limit: 1000 }],
    ['listPlants', 'cursor=Ab-_9', { cursor: 'Ab-_9' }],
    ['listPlants', `cursor=${'a'.repeat(6000)}`, { cursor: 'a'.repeat(6000) }],
    ['listPlants', 'tag=', { tag: '' }],
    ['listPlants', 'tag', { tag: '' }],
    ['listPlants', 'tag=a+b%2Bc%20d', { tag: 'a b+c d' }],
    ['listPlants', 'tag=%F0%9F%8C%BF', { tag: astral }],
    ['listPlants', `tag=${encodeURIComponent(astral.repeat(1000))}`, { tag: astral.repeat(1000) }],
    ['listPlants', 'tag=a%26b%3Dc', { tag: 'a&b=c' }],
    ['listPlants', 'tag=a=b=', { tag: 'a=b=' }],
    ['listPlants', 'tag=%EF%BB%BFa', { tag: '\uFEFFa' }],
    ['listPlants', 'name=e%CC%81&tag=%C3%A9', { name: 'e\u0301', tag: '\u00e9' }],
    ['listPlants', '&&%74ag=a&', { tag: 'a' }],
    ['listPlants', 'Tag=a&x=%&y=1&y=2&%=z&__proto__=1&constructor', {}],
    ['listTags', 'limit=7&prefix=a%27', { limit: 7, prefix: "a'" }],
    ['exportPlants', 'tag=a&name=b&limit=no', { tag: 'a', name: 'b' }],
    ['listChanges', 'id=7', { id: [7n] }],
    ['listChanges', `id=-1&kind=deleted&id=${2n ** 63n - 1n}`, { id: [-1n, 2n ** 63n - 1n], kind: 'deleted' }],
    ['listChanges', toIds(100), { id: Array.from({ length: 100 }, (_, at) => BigInt(at)) }],
    ['importPlants', 'onConflict=skip&dryRun=true', { onConflict: 'skip', dryRun: true }],
    ['importPlants', 'onConflict=replace&dryRun=false', { onConflict: 'replace', dryRun: false }],
  ];
  const defaults: Readonly<Record<string, object>> = {
    listPlants: { limit: 100, order: 'asc' },
    listTags: { limit: 1000 },
    exportPlants: {},
    listChanges: { limit: 100, order: 'asc', wait: 0 },
    importPlants: { onConflict: 'fail' },
  };
  for (const [operationId, query, values] of good) {
    it(`of ${operationId} is parsed: ${JSON.stringify(query.slice(0, 60))}`, () => {
      assert.deepEqual(parserOf(operationId)({ query }), { ...defaults[operationId], ...values });
    });
  }

  const ofLimit = '"limit" must be an integer from 1 to 1000';
  const ofTag = '"tag" must be percent-encoded UTF-8';
  const bad: [Parameters<typeof parserOf>[0], query: string, detail: string][] = [
    ...['0', '1001', '-1', '9'.repeat(4000)].map((limit): (typeof bad)[number] => [
      'listPlants',
      `limit=${limit}`,
      ofLimit,
    ]),
    ...['1.0', '1e2', '+5', '%2B5', 'many'].map((limit): (typeof bad)[number] => [
      'listPlants',
      `limit=${limit}`,
      '"limit" must consist of digits, after a minus if it is negative',
    ]),
    ['listPlants', 'limit=010', '"limit" must be written without leading zeros'],
    ['listPlants', 'limit=', '"limit" must not be empty'],
    ['listTags', 'limit=1001', ofLimit],
    ['listPlants', 'order=-id', '"order" must be one of asc, desc'],
    ['listPlants', 'below=1e9', '"below" must consist of digits, after a minus if it is negative'],
    ['listPlants', 'limit', '"limit" must not be empty'],
    ['listPlants', 'limit=5&limit=5', '"limit" must be given once'],
    ['listPlants', 'tag=a&%74ag=b', '"tag" must be given once'],
    ['listPlants', 'tag=%', ofTag],
    ['listPlants', 'tag=%4', ofTag],
    ['listPlants', 'tag=%zz', ofTag],
    ['listPlants', 'tag=%FF', ofTag],
    ['listPlants', 'tag=%C3', ofTag],
    ['listPlants', 'tag=%C0%80', ofTag],
    ['listPlants', 'tag=%ED%A0%80', ofTag],
    ['listPlants', 'tag=%F4%90%80%80', ofTag],
    ['listPlants', 'tag=\u00c3\u00a9', ofTag],
    ['listPlants', 'tag=a%00b', '"tag" must not hold the character U+0000'],
    ['listPlants', 'name=%00', '"name" must not hold the character U+0000'],
    ['listTags', 'prefix=%00', '"prefix" must not hold the character U+0000'],
    ['listPlants', `tag=${'x'.repeat(1001)}`, '"tag" must have at most 1000 characters (Unicode code points)'],
    [
      'exportPlants',
      `name=${encodeURIComponent(astral.repeat(1001))}`,
      '"name" must have at most 1000 characters (Unicode code points)',
    ],
    ['listPlants', 'cursor=', '"cursor" must be a value that the service gave'],
    ['listPlants', 'cursor=a%20b', '"cursor" must be a value that the service gave'],
    ['importPlants', 'group=a%20b', '"group" must match the pattern ^[A-Za-z0-9_-]{1,64}$'],
    ['listPlants', 'cursor=a%0A', '"cursor" must be a value that the service gave'],
    ['listPlants', `cursor=${'a'.repeat(6001)}`, '"cursor" must have at most 6000 characters (Unicode code points)'],
    ['listChanges', 'id=7&id=x', '"id" must consist of digits, after a minus if it is negative'],
    ['listChanges', 'id=7&id=', '"id" must not be empty'],
    ['listChanges', 'id=7,8', '"id" must consist of digits, after a minus if it is negative'],
    ['listChanges', 'id=7&id=%FF', '"id" must be percent-encoded UTF-8'],
    ['listChanges', 'id=7&id=8&id=7', '"id" must not have the same value twice'],
    ['listChanges', toIds(101), '"id" must be given at most 100 times'],
    ['listChanges', 'id=7&kind=deleted&kind=created', '"kind" must be given once'],
    ['importPlants', 'onConflict=', '"onConflict" must be one of fail, skip, replace'],
    ['importPlants', 'onConflict=Skip', '"onConflict" must be one of fail, skip, replace'],
    ['importPlants', 'dryRun', '"dryRun" must be true or false'],
    ['importPlants', 'dryRun=1', '"dryRun" must be true or false'],
    ['importPlants', 'dryRun=True', '"dryRun" must be true or false'],
  ];
  for (const [operationId, query, detail] of bad) {
    it(`of ${operationId} is rejected: ${JSON.stringify(query.slice(0, 60))}`, () => {
      assertRefused(() => parserOf(operationId)({ query }), 'query_invalid', detail);
    });
  }

  it('is never repeated in an error', () => {
    const secret = 'plst_canary';
    for (const query of [
      `limit=${secret}`,
      `cursor=${secret}%20`,
      `tag=${secret}%00`,
      `tag=${secret}&tag=${secret}`,
      `tag=${secret}%`,
    ]) {
      assert.throws(
        () => parserOf('listPlants')({ query }),
        (error) => error instanceof ServiceError && !error.message.includes(secret),
      );
    }
  });

  it('is ignored by an operation without one', () => {
    assert.deepEqual(parserOf('getPlant')({ path: { id: '7' }, query: 'id=8&limit=no' }), { id: 7n });
  });
});

describe('a condition', () => {
  const parse = parserOf('putPlant');
  it('is ignored by an operation that does not describe it', () => {
    const parseList = parserOf('listPlants');
    assert.deepEqual(parseList({ headers: { 'if-match': 'x' } }), parseList({}));
  });

  it('is rejected if it is neither a list of entity tags nor one asterisk', () => {
    const none = ['', ',', 'abc', '"abc', 'abc"', "'abc'", '"a b"', '"a" "a"', 'w/"a"', 'W/ "a"'];
    for (const value of [...none, '*, *', '*, "a"', '"a", *'])
      for (const name of ['if-match', 'if-none-match'])
        assertRefused(() => parse({ path: { id: '1' }, headers: { [name]: value } }), 'condition_invalid');
  });

  it('is rejected in one pass, however long it is', () => {
    // Trying each pair of positions would take hours.
    for (const piece of [' ', ', ', '""', '"a" ', 'W/']) {
      assertRefused(
        () => parse({ path: { id: '1' }, headers: { 'if-match': piece.repeat(1_000_000) + 'x' } }),
        'condition_invalid',
      );
    }
  });
});

describe('parseParameters()', () => {
  it('rejects an operation that is not described, and parses nothing without parameters', () => {
    const sample = toContract('paths: { /a: { get: { operationId: getPlant } } }');
    assert.throws(() => sample.parseParameters('listPlants'), /not described/);
    assert.equal(sample.parseParameters('getPlant')({ path: {}, query: '', headers: {} }), undefined);
  });

  for (const [about, parameter] of [
    ['a path parameter that is neither int64 nor text', '{ name: id, in: path, schema: { type: boolean } }'],
    ['a list in the query', '{ name: ids, in: query, schema: { type: array } }'],
    ['a header field that is a number', '{ name: X, in: header, schema: { type: integer } }'],
    ['a cookie', '{ name: id, in: cookie, schema: { type: string } }'],
    ['another style', '{ name: ids, in: query, style: pipeDelimited, schema: { type: string } }'],
    [
      'a list in one value',
      '{ name: ids, in: query, explode: false, schema: { type: array, items: { type: string } } }',
    ],
    ['a member that it does not know', '{ name: a, in: query, allowReserved: true, schema: { type: string } }'],
    ['a required one of the query', '{ name: a, in: query, required: true, schema: { type: string } }'],
    ['a keyword that it does not check in a path', '{ name: a, in: path, schema: { type: string, pattern: a } }'],
    ['a keyword that it does not know', '{ name: a, in: query, schema: { type: string, if: { minLength: 1 } } }'],
  ] as const) {
    it(`does not compile ${about}`, () => {
      const sample = toContract(`paths: { /a: { get: { operationId: getPlant, parameters: [${parameter}] } } }`);
      assert.throws(() => sample.parseParameters('getPlant'), /^Error: Cannot .* is unknown$/);
    });
  }
});
