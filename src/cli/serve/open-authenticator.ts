/** Opens what finds the principal of a token: of the service, or of an OpenID provider. */
import { Authenticator, type Clock } from '../../auth/authenticator.ts';
import type { Config } from '../../config/load-config.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { TokenStore } from '../../domain/store.ts';
import type { HttpDeps } from '../../http/request-steps.ts';
import type { Log } from '../../observe/log.ts';
import { StateLine } from '../../observe/state-line.ts';
import type { CommandContext } from '../command-context.ts';

type Settings = Pick<Config, 'oidcIssuer' | 'oidcAudience' | 'oidcScopeClaims'>;

export async function openAuthenticator(
  { oidcIssuer: issuer, oidcAudience: audience, oidcScopeClaims: scopeClaims }: Settings,
  tokens: TokenStore,
  context: Pick<CommandContext, 'now'>,
  log: Log,
): Promise<HttpDeps['principals']> {
  const clock: Clock = { now: () => context.now(), elapsed: () => performance.now() };
  const onNoteFailed = (error: unknown): void => {
    // A store that refuses writes has its own line.
    const level = error instanceof ServiceError && error.status === 503 ? 'debug' : 'warn';
    log[level]({ error }, 'Cannot note when a token was last used');
  };
  const own = new Authenticator(tokens, clock, onNoteFailed);
  if (issuer === undefined || audience === undefined) return own;
  const [{ IssuerKeys }, { isJwt, JwtAuthenticator }] = await Promise.all([
    import('../../auth/issuer-keys.ts'),
    import('../../auth/jwt-authenticator.ts'),
  ]);
  const unreadable = new StateLine(log, () => clock.elapsed(), {
    began: 'Cannot read the keys of the OpenID provider; known ones are used for a day',
    ended: 'The OpenID provider responds again',
  });
  const keys = new IssuerKeys({
    issuer,
    elapsed: () => clock.elapsed(),
    onRead: (error) => (error === undefined ? unreadable.end({ issuer }) : unreadable.note({ issuer, error })),
  });
  const users = new JwtAuthenticator({ issuer, audience, scopeClaims, keys, tokens, clock, onNoteFailed });
  return { find: (token) => (isJwt(token) ? users.find(token) : own.find(token)) };
}
