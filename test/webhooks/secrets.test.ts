/** Signing secrets: their form, their encryption, and how long an old one is valid. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { createSecret, rotationMs, seal, unseal, unsealAll, sign } from '../../src/webhooks/secrets.ts';

const key = randomBytes(32);
const message = { id: 'msg_1', now: Date.parse('2026-11-21T10:00:00.999Z'), body: '{"id":1,"name":"Ä"}' };

describe('createSecret()', () => {
  it('returns "whsec_" and 24 to 64 random bytes in Base64, each time others', () => {
    const secrets = Array.from({ length: 100 }, createSecret);
    for (const secret of secrets) {
      assert.match(secret, /^whsec_[A-Za-z0-9+/]+=*$/);
      const { length } = Buffer.from(secret.slice('whsec_'.length), 'base64');
      assert.ok(length >= 24 && length <= 64);
    }
    assert.equal(new Set(secrets).size, 100);
  });
});

describe('seal()', () => {
  it('encrypts for one key and one webhook', () => {
    const secret = createSecret();
    const sealed = seal(secret, 'a', key);
    assert.equal(unseal(sealed, 'a', key), secret);
    assert.notEqual(seal(secret, 'a', key), sealed);
    assert.ok(!Buffer.from(sealed, 'base64').includes(secret.slice(6, 14)));
    assert.throws(() => unseal(sealed, 'b', key));
    assert.throws(() => unseal(sealed, 'a', randomBytes(32)));
    const bytes = Buffer.from(sealed, 'base64');
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    assert.throws(() => unseal(bytes.toString('base64'), 'a', key));
    assert.throws(() => unseal('', 'a', key));
  });
});

describe('unsealAll()', () => {
  it('returns the old secret for 24 hours after a rotation', () => {
    const rotatedAt = 1_000;
    const secrets = [
      { sealed: seal('new', 'a', key) },
      { sealed: seal('old', 'a', key), expiresAt: rotatedAt + rotationMs },
    ];
    assert.equal(rotationMs, 24 * 3_600_000);
    assert.deepEqual(unsealAll({ id: 'a', secrets }, key, rotatedAt + rotationMs - 1), ['new', 'old']);
    assert.deepEqual(unsealAll({ id: 'a', secrets }, key, rotatedAt + rotationMs), ['new']);
  });
});

describe('sign()', () => {
  it('is what the reference library signs', () => {
    const secrets = [createSecret(), createSecret()];
    const wanted = secrets.map((secret) => new Webhook(secret).sign(message.id, new Date(message.now), message.body));
    assert.deepEqual(sign(message, secrets), {
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1795255200',
      'webhook-signature': wanted.join(' '),
    });
  });
});
