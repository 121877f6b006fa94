/** What the log says of an OpenID provider that comes and goes. The tokens are tested in test/auth. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openAuthenticator } from '../../src/cli/serve/open-authenticator.ts';
import { openMemoryStore } from '../../src/store/sqlite/open-memory-store.ts';
import { Issuer, makeSigner } from '../auth/issuer.ts';
import { recordLog } from '../support/record-log.ts';
import { stopClock } from '../support/stop-clock.ts';

it('a provider that comes and goes is one line a minute when it begins, and one when it ends', async (t) => {
  const { log, lines } = await recordLog('info');
  const store = openMemoryStore({ limits: { writesMax: 10, bytesMax: 10_000 } });
  t.after(() => store.close());
  const [known, unknown] = await Promise.all([makeSigner('known'), makeSigner('unknown')]);
  const issuer = await Issuer.start(t, known);
  const pass = stopClock(t);
  const settings = { oidcIssuer: issuer.url, oidcAudience: 'plants', oidcScopeClaims: ['scope'] };
  const tokens = await openAuthenticator(settings, store.tokens, { now: () => Date.now() }, log);
  const token = await issuer.sign(Date.now(), {}, { signer: unknown });
  /** Reads the keys once: what they are asked for is never among them. */
  const read = async (failure: number | undefined, afterMs: number): Promise<void> => {
    issuer.failure = failure;
    pass(afterMs);
    await Promise.resolve(tokens.find(token, undefined as never)).catch(() => undefined);
  };
  for (const [failure, afterMs] of [
    [500, 0],
    [undefined, 2_000],
    [500, 30_000],
    [undefined, 30_000],
    [500, 30_000],
  ] as const)
    await read(failure, afterMs);
  assert.deepEqual(
    lines.map(({ level, msg }) => [level, msg]),
    [
      ['error', 'Cannot read the keys of the OpenID provider; known ones are used for a day'],
      ['info', 'The OpenID provider responds again'],
      ['error', 'Cannot read the keys of the OpenID provider; known ones are used for a day'],
    ],
  );
});
