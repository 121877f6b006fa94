/** The first token of an empty store: given by the operator, or created and written to a file. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { issueToken, recordFor } from '../../auth/token.ts';
import type { Config } from '../../config/load-config.ts';
import { initialTokenLengthMin, isWeakInitialToken, weakInitialToken } from '../../config/initial-token.ts';
import { scopes, stateOf } from '../../domain/principal.ts';
import type { TokenStore } from '../../domain/store.ts';
import { toSystemReason } from '../../system/system-error.ts';
import { writeSecret } from './write-secret.ts';

export interface FirstToken {
  /** The file with the token, if one was created. The token itself is never logged. */
  readonly path?: string;
  readonly warning?: string;
}

type FirstTokenConfig = Pick<Config, 'host' | 'initialToken' | 'initialTokenFile' | 'oidcIssuer'> & {
  /** Folder for the file of a new token. Undefined: there is none, and no token is created. */
  readonly dataDir: string | undefined;
  /** How commands are started. */
  readonly program: string;
};

/**
 * Stores the first token, with every scope, if the store has none; otherwise resolves to undefined, or to a warning if none is valid.
 * @throws Error when the file of the given token cannot be read or has no token, or the new one
 * cannot be written.
 */
export async function ensureFirstToken(
  tokens: TokenStore,
  config: FirstTokenConfig,
  now: number,
): Promise<FirstToken | undefined> {
  const stored = await tokens.list();
  if (stored.length > 0) {
    const isOpen = config.oidcIssuer !== undefined || stored.some((record) => stateOf(record, now) === 'active');
    return isOpen ? undefined : { warning: toLockedOut(config.program) };
  }
  const request = { name: 'initial', scopes, now };
  const given = config.initialToken ?? (await readGivenToken(config.initialTokenFile));
  if (given !== undefined) {
    if (isWeakInitialToken(given, config.host)) throw new Error(`Cannot use the initial token: ${weakInitialToken}`);
    if (!(await tokens.insertFirst(recordFor(given, request)))) return undefined;
    return given.length < initialTokenLengthMin
      ? { warning: `The initial token is shorter than ${initialTokenLengthMin} characters and can be guessed` }
      : {};
  }
  if (config.dataDir === undefined)
    return { warning: `The store has no token: ${toAdvice(config.program)}, or set an initial token` };
  const { token, record } = issueToken(request);
  const path = join(config.dataDir, 'initial-token');
  // Written first: a stored token that cannot be read anywhere would lock its owner out.
  await writeSecret(path, `${token}\n`);
  if (await tokens.insertFirst(record)) return { path };
  // Another start stored its own first token; its file stays.
  if ((await readFile(path, 'utf8').catch(() => '')) === `${token}\n`) await rm(path);
  return undefined;
}

const toAdvice = (program: string): string => `create one with "${program} token create"`;
const toLockedOut = (program: string): string =>
  `Every token of the store is revoked or expired, so nobody has access: ${toAdvice(program)}`;

async function readGivenToken(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Error(`Cannot read the initial token from ${path}: ${toSystemReason(cause)}`, { cause });
  });
  const token = text.trim();
  if (!/^[A-Za-z0-9\-._~+/]{1,512}=*$/.test(token))
    throw new Error(`Cannot use the initial token: ${path} must contain one bearer token`);
  return token;
}
