/** The store that a command works on: its options, its place, and its tokens. */
import { resolve } from 'node:path';
import { Option as CommandOption } from 'commander';
import { type Config, loadOptions } from '../../config/load-config.ts';
import { type Option, options } from '../../config/options.ts';
import { UsageError } from '../../config/usage-error.ts';
import { valueTypes } from '../../config/value-types.ts';
import type { TokenStore } from '../../domain/store.ts';
import { parseDatabaseUrl } from '../../store/postgres/connect/database-url.ts';
import type { StoreLocation } from '../../store/store-location.ts';
import type { CommandContext } from '../command-context.ts';

/** What a command line says about the store. */
export interface GivenLocation {
  readonly dataDir?: string;
  readonly databaseUrl?: string;
  readonly databasePasswordFile?: string;
}

/**
 * Returns the options of a command. If it works on one kind of store `only`, help does not show
 * the options of the other. They are still parsed, so that the command can say what to use
 * instead.
 */
export function toStoreOptions(only?: 'folder' | 'database'): readonly CommandOption[] {
  return [options.dataDir, options.databaseUrl, options.databasePasswordFile].map((option) => {
    const kind = option === options.dataDir ? 'folder' : 'database';
    return toCommandOption(option)
      .helpGroup('Options:')
      .hideHelp(only !== undefined && only !== kind);
  });
}

/** @throws UsageError for an option that cannot be used. */
export function readStoreLocation(given: GivenLocation, context: CommandContext): StoreLocation {
  const flags = {
    [options.dataDir.flag]: given.dataDir,
    [options.databaseUrl.flag]: given.databaseUrl,
    [options.databasePasswordFile.flag]: given.databasePasswordFile,
  };
  const config = loadOptions(['dataDir', 'databaseUrl', 'databasePasswordFile'], flags, context.env);
  return toStoreLocation(config, given, context.cwd);
}

/**
 * A folder that is named by a flag wins over a database that only the environment names.
 * @throws UsageError for a URL that cannot be used.
 */
export function toStoreLocation(
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'databasePasswordFile'>,
  given: GivenLocation,
  cwd: string,
): StoreLocation {
  const { dataDir, databaseUrl, databasePasswordFile } = config;
  const isFolderWanted = given.dataDir !== undefined && given.databaseUrl === undefined;
  if (databaseUrl === undefined || isFolderWanted) return { folder: resolve(cwd, dataDir) };
  return toDatabaseLocation(databaseUrl, databasePasswordFile, cwd);
}

/** @throws UsageError for a URL that cannot be used. */
export function toDatabaseLocation(url: string, passwordFile: string | undefined, cwd: string): StoreLocation {
  try {
    parseDatabaseUrl(url);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  return { url, ...(passwordFile === undefined ? {} : { passwordFile: resolve(cwd, passwordFile) }) };
}

/** The default is shown, not handed on: a flag that is not given must not beat the environment. */
export function toCommandOption(option: Option): CommandOption {
  const fallback = option.default === undefined || option.default === '' ? '' : `, default: ${option.default}`;
  const choices = option.choices === undefined ? '' : `, one of: ${option.choices.join(', ')}`;
  const { argument } = valueTypes[option.type];
  return new CommandOption(
    argument === undefined ? option.flag : `${option.flag} <${argument}>`,
    `${option.help} (env: ${option.env}${fallback}${choices})`,
  ).helpGroup(`${option.group}:`);
}

/**
 * Resolves to what `use` resolves to.
 * @throws UsageError for a bad `--data-dir`; Error when the folder contains no store.
 */
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
