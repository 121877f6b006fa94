/** toInt64() and parseInt64(): tables at the limits, and random spellings compared with exact BigInt arithmetic. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { describeInvalidInt64, numberLengthMax, parseInt64, toInt64 } from '../../src/json/int64.ts';
import { countWork } from './count-work.ts';

const min = -9223372036854775808n;
const max = 9223372036854775807n;

describe('toInt64', () => {
  const integers: readonly (readonly [string, bigint])[] = [
    ['7', 7n],
    ['0', 0n],
    ['-0', 0n],
    ['-0.0', 0n],
    ['-0e-5', 0n],
    ['0e999999999', 0n],
    ['0.000e-999999999', 0n],
    ['7.0', 7n],
    ['70e-1', 7n],
    ['0.7e1', 7n],
    ['0.07E+2', 7n],
    ['1E2', 100n],
    ['1e18', 10n ** 18n],
    ['1e00000000000000000000018', 10n ** 18n],
    ['-12', -12n],
    ['999999999999999', 999999999999999n],
    ['-999999999999999', -999999999999999n],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['9223372036854775807', max],
    ['-9223372036854775808', min],
    ['9223372036854775807.000', max],
    ['9.223372036854775807e18', max],
    ['-92233720368547758080e-1', min],
    ['0.00000000000000009223372036854775807e35', max],
  ];
  for (const [text, value] of integers) {
    it(`parses ${text} as ${value}`, () => assert.equal(toInt64(text), value));
  }

  const others = [
    ...'9223372036854775808 -9223372036854775809 9223372036854775807.1 92233720368547758070 1e19 -1e19 0.5 75e-1'.split(
      ' ',
    ),
    ...'1e-1 -1e-999999999 1e999999999 1e-9999999999999999999999 1e99999999999999999999 - +7 07 -07 00 -00 7.'.split(
      ' ',
    ),
    ...'.7 7e 7e+ 0x7 7n 1_0 ٧ --7 7- NaN Infinity true "7"'.split(' '),
    ...['', ' 7', '7 ', '7\n'],
  ];
  for (const text of others) {
    it(`rejects ${JSON.stringify(text)}`, () => assert.equal(toInt64(text), undefined));
  }

  it(`accepts ${numberLengthMax} characters and rejects one more`, () => {
    assert.equal(toInt64(`7.${'0'.repeat(numberLengthMax - 2)}`), 7n);
    assert.equal(toInt64(`7.${'0'.repeat(numberLengthMax - 1)}`), undefined);
  });

  it('takes no more work for a huge number than for a small one', () => {
    for (const text of ['1e999999999', '-1e-999999999', '0e999999999', '7'.repeat(40_000), `7.${'0'.repeat(40_000)}`]) {
      const { looks, characters } = countWork(() => toInt64(text));
      assert.ok(
        looks <= numberLengthMax && characters <= 4 * numberLengthMax,
        `${looks} looks, ${characters} characters`,
      );
    }
    assert.ok(countWork(() => toInt64('1e18')).characters > 0, 'the count counts');
  });

  it('equals exact arithmetic for any spelling', () => {
    const zeros = fc.integer({ min: 0, max: 6 }).map((count) => '0'.repeat(count));
    const whole = fc.bigInt({ min: 0n, max: 10n ** 21n }).map(String);
    const spelling = fc.tuple(
      fc.constantFrom('', '-'),
      fc.oneof(whole, fc.integer({ min: 0, max: 9 }).map(String)),
      fc.option(fc.tuple(zeros, fc.oneof(whole, zeros)).map(([a, b]) => `${a}${b}0`.slice(0, 12))),
      fc.option(fc.tuple(fc.constantFrom('', '+', '-'), zeros, fc.integer({ min: 0, max: 25 }))),
    );
    fc.assert(
      fc.property(spelling, ([sign, digits, fraction, exponent]) => {
        const [exponentSign, padding, power] = exponent ?? ['', '', 0];
        const tail = exponent === null ? '' : `e${exponentSign}${padding}${power}`;
        const text = `${sign}${digits}${fraction === null ? '' : `.${fraction}`}${tail}`;
        // value = numerator / denominator, exactly.
        const shift = (exponentSign === '-' ? -power : power) - (fraction?.length ?? 0);
        const numerator = BigInt(digits + (fraction ?? '')) * 10n ** BigInt(Math.max(shift, 0));
        const denominator = 10n ** BigInt(Math.max(-shift, 0));
        const value = (sign === '-' ? -numerator : numerator) / denominator;
        const isInt64 = numerator % denominator === 0n && value >= min && value <= max;
        assert.equal(toInt64(text), isInt64 && text.length <= numberLengthMax ? value : undefined, text);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('parseInt64', () => {
  for (const text of ['0', '7', '-7', '10', '9223372036854775807', '-9223372036854775808', '9007199254740993']) {
    it(`accepts ${text}`, () => assert.equal(parseInt64(text), BigInt(text)));
  }

  const others = [
    ...'- -0 00 007 -07 +7 7.0 7e0 1E2 0x7 7n ٧ ７ 1_0 1,0'.split(' '),
    ...['', ' 7', '7 ', '7\n', '9223372036854775808', '-9223372036854775809', '7'.repeat(40_000)],
  ];
  for (const text of others) {
    it(`rejects ${JSON.stringify(text).slice(0, 30)}`, () => assert.equal(parseInt64(text), undefined));
  }

  it('accepts the spelling of String() for any int64', () => {
    fc.assert(fc.property(fc.bigInt({ min, max }), (value) => assert.equal(parseInt64(String(value)), value)));
  });
});

describe('describeInvalidInt64()', () => {
  for (const [text, reason] of [
    ['', 'must not be empty'],
    ['007', 'must be written without leading zeros'],
    ['-07', 'must be written without leading zeros'],
    ['-0', 'must be written without leading zeros'],
    ['7a', 'must consist of digits, after a minus if it is negative'],
    ['seven', 'must consist of digits, after a minus if it is negative'],
    ['+7', 'must consist of digits, after a minus if it is negative'],
    ['7.0', 'must consist of digits, after a minus if it is negative'],
    ['9223372036854775808', 'must be from -9223372036854775808 to 9223372036854775807'],
    ['-9223372036854775809', 'must be from -9223372036854775808 to 9223372036854775807'],
  ] as const) {
    it(`explains for ${JSON.stringify(text)} that it ${reason}`, () => {
      assert.equal(parseInt64(text), undefined);
      assert.equal(describeInvalidInt64(text), reason);
    });
  }
});
