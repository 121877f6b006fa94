/** Logins that are refused, and will be again: something must be set right first. */
import type { ConnectionOptions } from 'node:tls';
import { sqlStateOf } from './error-code.ts';

/** The message says what to set right. */
export class LoginError extends Error {
  override readonly name = 'LoginError';
  /** The SQLSTATE or system error code of the cause. */
  readonly code: unknown;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  }
}

/** SQLSTATEs (postgresql.org/docs/current/errcodes-appendix.html), and what helps. */
const remedies = new Map([
  // A pooler does not know a parameter of the login.
  ['08P01', 'connect to the server directly, not through a pooler such as PgBouncer'],
  ['28000', 'pg_hba.conf of the server must let this user in from this machine'],
  ['28P01', 'give the password of this user'],
  ['3D000', 'create it, or name another one in the URL'],
  ['42501', 'GRANT CONNECT to this user'],
]);

/** Codes of Node.js for certificates that do not fit. */
const certificateCode = /^(ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_)/;
/** The driver has no code for it. */
const withoutTls = 'The server does not support SSL connections';

/** Returns undefined if the same login may succeed later. */
export function toLoginError(error: unknown, tls: ConnectionOptions | false): LoginError | undefined {
  if (error instanceof LoginError) return error;
  if (!(error instanceof Error)) return undefined;
  const { message } = error;
  const state = sqlStateOf(error) ?? '';
  const remedy = remedies.get(state);
  if (state === '28000' && tls === false)
    return new LoginError(`${message}; if the server wants TLS, add sslmode=verify-full to the URL`, error);
  if (remedy !== undefined) return new LoginError(`${message}; ${remedy}`, error);
  if (message === withoutTls)
    return new LoginError(`${message}: turn it on there, or use sslmode=disable in the URL`, error);
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && certificateCode.test(code))
    return new LoginError(`${message}; see sslmode and sslrootcert in the URL`, error);
  return undefined;
}
