/** The grammar of the Prefer header field: RFC 7240, section 2. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readPreferences } from '../../src/sandbox/read-preferences.ts';

const samples: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': {},
  ', ,': {},
  'code=409': { code: '409' },
  'CODE=409, Example=Key': { code: '409', example: 'Key' },
  '\tcode = 409 ,cut\t': { code: '409', cut: '' },
  'code="409"': { code: '409' },
  'a="x, y; z=\\"1\\" \\\\", b': { a: 'x, y; z="1" \\', b: '' },
  'a=, b="", c': { a: '', b: '', c: '' },
  'a=1; b=2; c, d': { a: '1', d: '' },
  'a; b="x, y=1", c': { a: '', c: '' },
  'a=1, a=2, A=3': { a: '1' },
  'a b, c=1 2, =3, (x), d="1"2, e': { e: '' },
  'a=1, b="2, c=3': { a: '1' },
  "!#$%&'*+.^_`|~09Az=-": { "!#$%&'*+.^_`|~09az": '-' },
  'a="ÿ"': { a: 'ÿ' },
};

describe('readPreferences()', () => {
  for (const [field, expected] of Object.entries(samples))
    it(`reads ${JSON.stringify(field)}`, () => {
      assert.deepEqual(Object.fromEntries(readPreferences(field)), expected);
    });
});
