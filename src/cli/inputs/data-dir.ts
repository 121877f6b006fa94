/** The option `--data-dir` of the commands that work on the data folder itself. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { loadOptions } from '../../config/load-config.ts';
import { options } from '../../config/options.ts';
import type { CommandContext } from '../command-context.ts';
import { toCommandOption } from './to-command-option.ts';

/** Adds `--data-dir` to a command. */
export function addDataDir(command: Command): Command {
  return command.addOption(toCommandOption(options.dataDir).helpGroup('Options:'));
}

/** The absolute path of the folder. @throws ConfigError for a bad `--data-dir`. */
export function readDataDir(given: string | undefined, context: CommandContext): string {
  const { dataDir } = loadOptions(['dataDir'], { [options.dataDir.flag]: given }, context.env);
  return resolve(context.cwd, dataDir);
}
