/** parseJson(): every vector, its own rules, and random texts compared with JSON.parse. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { JsonError } from '../../src/json/json-error.ts';
import { depthMax, membersMax, parseJson, type JsonValue } from '../../src/json/parse-json.ts';
import { countWork } from './count-work.ts';
import { toPlain } from './plain.ts';
import { vectors } from './vectors.ts';

const { raw } = String;

function findError(text: string): JsonError | undefined {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    if (error instanceof JsonError) return error;
    throw error;
  }
}

/** Returns a member of a parsed object; undefined for other values. */
function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value[name] : undefined;
}

describe('parseJson', () => {
  for (const { name, text, expected } of vectors) {
    it(`vector ${name}: ${expected}`, () => assert.equal(findError(text)?.reason ?? 'accept', expected));
  }

  it('parses every kind of value', () => {
    const text = raw`{"a":[null,true,false,"\u0041\n\/\ud83c\udf31",7,7.0,-0,0.5,1e300,1e999],"b":{}}`;
    const list = ['A\n/🌱', 7n, 7n, 0n, 0.5, 1e300, Infinity];
    const value = parseJson(text);
    assert.deepEqual(memberOf(value, 'a'), [null, true, false, ...list]);
    assert.deepEqual(Object.entries(memberOf(value, 'b') ?? [1]), []);
  });

  it('keeps the order and names of members, and white space in strings', () => {
    const value = parseJson(raw`{ "b" : " x ", "a\u0062" : "\r\n" }`);
    assert.deepEqual(Object.entries(value ?? {}), [
      ['b', ' x '],
      ['ab', '\r\n'],
    ]);
  });

  it('treats __proto__ and constructor as ordinary members', () => {
    const value = parseJson('{"__proto__":{"name":"x"},"id":1}');
    assert.equal(memberOf(value, 'name'), undefined);
    assert.deepEqual(Object.keys(value ?? {}), ['__proto__', 'id']);
    assert.equal(memberOf(memberOf(value, '__proto__'), 'name'), 'x');
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      assert.equal(memberOf(parseJson('{}'), name), undefined);
      assert.equal(memberOf(parseJson(`{"${name}":1}`), name), 1n);
    }
    assert.equal(Object.hasOwn(Object.prototype, 'name'), false);
  });

  const toObject = (members: number): string =>
    `{${Array.from({ length: members }, (_, at) => `"m${at}":0`).join(',')}}`;
  const invalidTexts: readonly (readonly [string, JsonError['reason'], number, string])[] = [
    ['', 'malformed', 0, 'wanted a value at position 0, found the end'],
    ['{"a":1,}', 'malformed', 7, "wanted a member name in double quotes at position 7, found '}'"],
    ['{"a" 1}', 'malformed', 5, `wanted ":" at position 5, found '1'`],
    ['{"a":1', 'malformed', 6, 'wanted "," or "}" at position 6, found the end'],
    ['[1\u00a0]', 'malformed', 2, 'wanted "," or "]" at position 2, found U+00A0'],
    ['[1]🌱', 'malformed', 3, 'wanted the end of the text at position 3, found U+1F331'],
    ['\ufeff{}', 'malformed', 0, 'wanted a value at position 0, found U+FEFF'],
    ['[-]', 'malformed', 2, "wanted a digit at position 2, found ']'"],
    ['["a\n"]', 'malformed', 3, 'wanted an escape for a control character at position 3, found U+000A'],
    [raw`["\x"]`, 'malformed', 3, raw`wanted one of " \ / b f n r t u at position 3, found 'x'`],
    [raw`["\u00g0"]`, 'malformed', 6, "wanted four hexadecimal digits at position 6, found 'g'"],
    ['["secret', 'malformed', 8, 'wanted a closing double quote at position 8, found the end'],
    ['["secret\\n', 'malformed', 10, 'wanted a closing double quote at position 10, found the end'],
    [
      raw`{"a":1,"\u0061":1}`,
      'duplicate-member',
      7,
      `wanted a name that its object does not have yet at position 7, found '"'`,
    ],
    [raw`["ab\ud800"]`, 'unpaired-surrogate', 4, raw`wanted a surrogate pair at position 4, found '\'`],
    ['["\ud800"]', 'unpaired-surrogate', 2, 'wanted a surrogate pair at position 2, found U+D800'],
    ['{"a\udc00b":1}', 'unpaired-surrogate', 3, 'wanted a surrogate pair at position 3, found U+DC00'],
    ['["\ud83c', 'unpaired-surrogate', 2, 'wanted a surrogate pair at position 2, found U+D83C'],
    ['["\ud83c\\udf31"]', 'unpaired-surrogate', 2, 'wanted a surrogate pair at position 2, found U+D83C'],
    ['['.repeat(depthMax + 1), 'too-deep', depthMax, "wanted at most 32 levels of nesting at position 32, found '['"],
    [
      toObject(membersMax + 1),
      'too-many-members',
      791,
      `wanted at most 100 members in an object at position 791, found '"'`,
    ],
  ];

  it('reads as many members as an object may have, in each of several', () => {
    const object = toObject(membersMax);
    assert.deepEqual(toPlain(parseJson(`[${object},${object}]`)), JSON.parse(`[${object},${object}]`));
  });

  for (const [text, reason, position, message] of invalidTexts) {
    it(`reports where ${JSON.stringify(text).slice(0, 30)} is ${reason}`, () => {
      assert.throws(() => parseJson(text), {
        name: 'JsonError',
        reason,
        position,
        message: `Cannot read JSON: ${message}`,
      });
    });
  }

  it('limits depth, not the number of arrays', () => {
    assert.equal(findError(`[${'[],'.repeat(100)}[]]`), undefined);
  });

  it('round-trips any value that JSON.stringify wrote, if strings are well formed', () => {
    const values = fc.jsonValue({ stringUnit: 'binary', maxDepth: 6 });
    fc.assert(
      fc.property(values, fc.constantFrom('', ' ', '\t'), (value, indent) => {
        assert.deepEqual(toPlain(parseJson(JSON.stringify(value, null, indent))), toPlain(value));
      }),
      { numRuns: 500 },
    );
  });

  it('agrees with JSON.parse on damaged texts, except for deliberate refusals', () => {
    const part = fc.constantFrom(
      ...'{}[],:"\\/ubn 019-+.eE\t\n\0aAfF',
      '\\u00',
      '\\ud83c\\udf31',
      '"a":',
      'true',
      'null',
      '\ufeff',
      '🌱',
    );
    const seed = fc.jsonValue({ stringUnit: 'grapheme' }).map((value) => JSON.stringify(value));
    const change = fc.tuple(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 0, max: 2 }),
      fc.array(part, { maxLength: 2 }),
    );
    const outcomes = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(seed, fc.array(change, { maxLength: 3 }), (text, changes) => {
        for (const [place, cut, parts] of changes) {
          const at = Math.floor(place * text.length);
          text = text.slice(0, at) + parts.join('') + text.slice(at + cut);
        }
        const error = findError(text);
        if (error !== undefined && error.reason !== 'malformed') return;
        outcomes[error === undefined ? 'accepted' : 'refused']++;
        if (error === undefined) {
          assert.deepEqual(toPlain(parseJson(text)), toPlain(JSON.parse(text)));
        } else
          assert.throws(() => JSON.parse(text) as unknown, SyntaxError, `${JSON.stringify(text)}: ${error.message}`);
      }),
      { numRuns: 5000 },
    );
    assert.ok(outcomes.accepted > 100 && outcomes.refused > 100, JSON.stringify(outcomes));
  });

  const long: readonly (readonly [string, (count: number) => string])[] = [
    ['members', (count) => `{${Array.from({ length: count / 8 }, (_, index) => `"${index}a":1`).join()}}`],
    [
      'members that are indexes',
      (count) => `{${Array.from({ length: count / 8 }, (_, index) => `"${count - index}":1`).join()}}`,
    ],
    ['short escapes', (count) => `"${raw`\n`.repeat(count / 2)}"`],
    ['escapes by number', (count) => `"${raw`\u0041`.repeat(count / 6)}"`],
    ['pairs', (count) => `"${'🌱'.repeat(count / 2)}"`],
    ['one string', (count) => `"${'a'.repeat(count)}"`],
    ['a string that is not closed', (count) => `"${'a\\n'.repeat(count / 3)}`],
    ['one number', (count) => '7'.repeat(count)],
    ['numbers', (count) => `[${'1e5,'.repeat(count / 4)}0]`],
    ['white space', (count) => `${' '.repeat(count)}0`],
    ['empty arrays', (count) => `[${'[],'.repeat(count / 3)}0]`],
    ['opening brackets', (count) => '['.repeat(count)],
  ];
  for (const [name, make] of long) {
    it(`takes time proportional to the length: ${name}`, () => {
      const text = make(65_536);
      const { looks, characters } = countWork(() => findError(text));
      assert.ok(looks > 0 && looks <= 6 * text.length, `${looks} looks`);
      assert.ok(characters <= 6 * text.length, `${characters} characters`);
    });
  }
});
