/** Opens the tokens of a data folder for one command, and closes them whatever happens. Used by the `token` commands. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { loadOptions } from '../config/load-config.ts';
import { options } from '../config/options.ts';
import type { TokenStore } from '../domain/store.ts';
import type { CommandContext } from './command-context.ts';
import { toCommandOption } from './to-command-option.ts';

/** Adds `--data-dir` to a command. */
export function addDataDir(command: Command): Command {
  return command.addOption(toCommandOption(options.dataDir).helpGroup('Options:'));
}

/** Resolves to what `use` resolves to. @throws ConfigError for a bad `--data-dir`; Error when the folder holds no store. */
export async function withTokenStore<Result>(
  dataDir: string | undefined,
  context: CommandContext,
  use: (tokens: TokenStore) => Promise<Result>,
): Promise<Result> {
  const config = loadOptions(['dataDir'], { [options.dataDir.flag]: dataDir }, context.env);
  // Loaded only now: help and faults do not need a database.
  const { openTokenStore } = await import('../store/open-store.ts');
  const store = await openTokenStore(resolve(context.cwd, config.dataDir));
  try {
    return await use(store.tokens);
  } finally {
    await store.close();
  }
}
