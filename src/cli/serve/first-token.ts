/** The first token of an empty store, so that a newcomer needs no second command: given by the operator, or made and written to a file. */
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { issueToken, recordFor } from '../../auth/token.ts';
import type { Config } from '../../config/load-config.ts';
import { scopes } from '../../domain/principal.ts';
import type { TokenStore } from '../../domain/store.ts';

/** A given token below this length, in characters, can be guessed. */
const givenLengthMin = 20;

export interface FirstToken {
  /** The file with the token, when it was made. The token itself is never logged. */
  readonly path?: string;
  readonly warning?: string;
}

type FirstTokenConfig = Pick<Config, 'dataDir' | 'initialToken' | 'initialTokenFile'>;

/**
 * Stores the first token, with every scope, if the store has none yet; undefined when it has.
 * @throws Error when the file of the given token cannot be read or holds no token, or the made one cannot be written.
 */
export async function ensureFirstToken(
  tokens: TokenStore,
  config: FirstTokenConfig,
  now: number,
): Promise<FirstToken | undefined> {
  if ((await tokens.list()).length > 0) return undefined;
  const request = { name: 'initial', scopes, now };
  const given = config.initialToken ?? (await readGivenToken(config.initialTokenFile));
  if (given !== undefined) {
    await tokens.insertFirst(recordFor(given, request));
    return given.length < givenLengthMin
      ? { warning: `The initial token is shorter than ${givenLengthMin} characters and can be guessed` }
      : {};
  }
  const { token, record } = issueToken(request);
  const path = join(config.dataDir, 'initial-token');
  // Written first: a token that is stored but nowhere to be read would lock its owner out.
  await writeSecret(path, `${token}\n`);
  await tokens.insertFirst(record);
  return { path };
}

async function readGivenToken(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const token = (await readFile(path, 'utf8')).trim();
  if (!/^[A-Za-z0-9\-._~+/]{1,512}=*$/.test(token))
    throw new Error(`Cannot use the initial token: ${path} must hold one bearer token`);
  return token;
}

async function writeSecret(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    // The mode above counts for a new file only.
    await file.chmod(0o600);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
