/** Opens the tokens of a data folder for one command, and closes them whatever happens. Used by the `token` commands. */
import type { TokenStore } from '../../domain/store.ts';
import type { CommandContext } from '../command-context.ts';
import { readDataDir } from './data-dir.ts';

/** Resolves to what `use` resolves to. @throws ConfigError for a bad `--data-dir`; Error when the folder holds no store. */
export async function withTokenStore<Result>(
  dataDir: string | undefined,
  context: CommandContext,
  use: (tokens: TokenStore) => Promise<Result>,
): Promise<Result> {
  const folder = readDataDir(dataDir, context);
  // Loaded only now: help and faults do not need a database.
  const { openTokenStore } = await import('../../store/open-store.ts');
  const store = await openTokenStore(folder);
  try {
    return await use(store.tokens);
  } finally {
    await store.close();
  }
}
