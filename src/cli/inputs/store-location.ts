/** The options `--data-dir` and `--database-url` of the commands that work on the store itself. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { ConfigError } from '../../config/config-error.ts';
import { type Config, loadOptions } from '../../config/load-config.ts';
import { options } from '../../config/options.ts';
import { parseDatabaseUrl } from '../../store/postgres/database-url.ts';
import type { StoreLocation } from '../../store/store-location.ts';
import type { CommandContext } from '../command-context.ts';
import { toCommandOption } from './to-command-option.ts';

/** What a command line says about the store. */
export interface GivenLocation {
  readonly dataDir?: string;
  readonly databaseUrl?: string;
  readonly databasePasswordFile?: string;
}

/**
 * Adds the options to a command. If it works on one kind of store `only`, help does not show the options of the other. They are still
 * parsed, so that the command can say what to use instead.
 */
export function addStoreLocation(command: Command, only?: 'folder' | 'database'): Command {
  for (const option of [options.dataDir, options.databaseUrl, options.databasePasswordFile]) {
    const kind = option === options.dataDir ? 'folder' : 'database';
    command.addOption(
      toCommandOption(option)
        .helpGroup('Options:')
        .hideHelp(only !== undefined && only !== kind),
    );
  }
  return command;
}

/** @throws ConfigError for an option that cannot be used. */
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
 * @throws ConfigError for a URL that cannot be used.
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

/** @throws ConfigError for a URL that cannot be used. */
export function toDatabaseLocation(url: string, passwordFile: string | undefined, cwd: string): StoreLocation {
  try {
    parseDatabaseUrl(url);
  } catch (error) {
    throw new ConfigError([error instanceof Error ? error.message : String(error)]);
  }
  return { url, ...(passwordFile === undefined ? {} : { passwordFile: resolve(cwd, passwordFile) }) };
}
