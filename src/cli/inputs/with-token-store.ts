/** Opens the tokens of a store for one command, and closes them whatever happens. Used by the `token` commands. */
import type { TokenStore } from '../../domain/store.ts';
import type { CommandContext } from '../command-context.ts';
import { type GivenLocation, readStoreLocation } from './store-location.ts';

/** Resolves to what `use` resolves to. @throws ConfigError for a bad `--data-dir`; Error when the folder contains no store. */
export async function withTokenStore<Result>(
  given: GivenLocation,
  context: CommandContext,
  use: (tokens: TokenStore) => Promise<Result>,
): Promise<Result> {
  const location = readStoreLocation(given, context);
  // Loaded only now: help and errors do not need a database.
  const { openTokenStore } = await import('../../store/open-store.ts');
  const store = await openTokenStore(location);
  try {
    return await use(store.tokens);
  } finally {
    await store.close();
  }
}
