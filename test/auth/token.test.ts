/** The token format: creation, recognition, storage. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { hashToken, isTokenShaped, issueToken, recordFor } from '../../src/auth/token.ts';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const request = { name: 'gardener', scopes: ['plants:read'], now: 1_700_000_000_000 } as const;

describe('issueToken()', () => {
  it('has a prefix, 43 digits, and 6 digits of their CRC32', () => {
    const { token } = issueToken(request);
    const [, secret = '', checksum = ''] = /^plst_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/.exec(token) ?? [];
    const value = [...checksum].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
    assert.equal(value, crc32(secret));
  });

  it('returns a new token and a new id each time', () => {
    const issued = Array.from({ length: 500 }, () => issueToken(request));
    assert.equal(new Set(issued.map(({ token }) => token)).size, 500);
    assert.equal(new Set(issued.map(({ record }) => record.id)).size, 500);
    // 500 random secrets use every digit at nearly every position; the first of 43 digits is at
    // most 5.
    const seen = new Set(issued.flatMap(({ token }) => [...token.slice(6, 48)]));
    assert.equal(seen.size, 62);
  });

  it('stores the SHA-256 and never the token', () => {
    const { token, record } = issueToken({ ...request, expiresAt: 1_800_000_000_000 });
    const { id, hash, ...rest } = record;
    assert.match(id, /^[0-9A-Za-z]{12}$/);
    assert.equal(hash, createHash('sha256').update(token).digest('hex'));
    assert.deepEqual(rest, {
      name: 'gardener',
      scopes: ['plants:read'],
      createdAt: 1_700_000_000_000,
      expiresAt: 1_800_000_000_000,
    });
    assert.equal(JSON.stringify(record).includes(token.slice(5, 20)), false);
  });

  it('omits expiresAt if the token never expires', () => {
    assert.equal('expiresAt' in issueToken(request).record, false);
  });
});

describe('recordFor()', () => {
  it('returns the same hash and a new id for the same token', () => {
    const [one, other] = [recordFor('a-given-token', request), recordFor('a-given-token', request)];
    assert.equal(one.hash, hashToken('a-given-token'));
    assert.equal(one.hash, other.hash);
    assert.notEqual(one.id, other.id);
  });
});

describe('isTokenShaped()', () => {
  const { token } = issueToken(request);
  const otherDigit = (digit: string): string => (digit === 'a' ? 'b' : 'a');

  it('accepts issued tokens', () => {
    for (let count = 0; count < 100; count += 1) assert.equal(isTokenShaped(issueToken(request).token), true);
  });

  it('detects each single wrong character', () => {
    for (let place = 5; place < token.length; place += 1) {
      const wrong = `${token.slice(0, place)}${otherDigit(token.charAt(place))}${token.slice(place + 1)}`;
      assert.equal(isTokenShaped(wrong), false, `place ${place}`);
    }
  });

  it('detects each swap of neighbours', () => {
    for (let place = 5; place < token.length - 1; place += 1) {
      const [one, other] = [token.charAt(place), token.charAt(place + 1)];
      if (one === other) continue;
      const wrong = `${token.slice(0, place)}${other}${one}${token.slice(place + 2)}`;
      assert.equal(isTokenShaped(wrong), false, `places ${place} and ${place + 1}`);
    }
  });

  for (const [what, text, isShaped] of [
    ["another issuer's token", 'abc.DEF-123_~+/==', true],
    ['a token of 512 characters', 'x'.repeat(512), true],
    ['a token of 513 characters', 'x'.repeat(513), false],
    ['a token of 10,000 characters', 'x'.repeat(10_000), false],
    ['nothing', '', false],
    ['our prefix alone', 'plst_', false],
    ['our token cut by a character', token.slice(0, -1), false],
    ['our token and a character', `${token}0`, false],
    ['our token padded', `${token}=`, false],
    ['our token with a space after', `${token} `, false],
    ['our token with a line feed after', `${token}\n`, false],
    ['padding in the middle', 'abc=def', false],
    ['padding alone', '==', false],
    ['a letter outside of ASCII', 'tökén', false],
    ['a comma', 'abc,def', false],
    ['our prefix in upper case, which is not ours', `PLST_${token.slice(5)}`, true],
  ] as const) {
    it(`${isShaped ? 'accepts' : 'rejects'} ${what}`, () => {
      assert.equal(isTokenShaped(text), isShaped);
    });
  }
});
