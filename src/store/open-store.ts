/** Chooses the adapter of the store port. Nothing outside this module names one. */
import type { Store, TokenStore } from '../domain/store.ts';
import { openSqliteStore, openSqliteTokens, type SqliteOptions } from './sqlite/open-sqlite-store.ts';

export type StoreOptions = SqliteOptions;

/** Opens the store in the data folder; makes what is missing. @throws Error with one clear line when it cannot. */
export function openStore(dataFolder: string, options: StoreOptions): Promise<Store> {
  return openSqliteStore(dataFolder, options);
}

/** Opens only the tokens, beside a running server or without one. @throws Error with one clear line when there is no store. */
export function openTokenStore(dataFolder: string): Promise<{ tokens: TokenStore; close(): Promise<void> }> {
  return openSqliteTokens(dataFolder);
}
