/** `plant-store serve`: its flags are the table of options. run-service.ts starts the service. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '../../config/usage-error.ts';
import { loadConfig } from '../../config/load-config.ts';
import type { Config, Flags } from '../../config/load-config.ts';
import { options } from '../../config/options.ts';
import type { CommandContext } from '../command-context.ts';
import { addExamples } from '../inputs/add-command.ts';
import { toCommandOption, toStoreLocation } from '../inputs/store.ts';
import { requireOpenFiles } from './open-files.ts';

export function addServe(program: Command, context: CommandContext): void {
  const command = program
    .command('serve')
    .summary('Run the service')
    .description(
      'Run the service until SIGTERM or SIGINT, or until its terminal is closed. Without a terminal, SIGHUP reads the TLS files again. Flags override environment variables.',
    )
    // Accepted here and refused below, so that one run reports all errors.
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async () => {
      const config = loadServeConfig(command, context);
      requireOpenFiles();
      if (config.sandbox) {
        const { runSandbox } = await import('./run-sandbox.ts');
        context.setExitCode(await runSandbox(config, context));
        return;
      }
      const { runService, toStoreSource } = await import('./run-service.ts');
      const source = toStoreSource(toStoreLocation(config, command.opts(), context.cwd));
      context.setExitCode(await runService(config, source, context));
    });
  for (const option of Object.values(options)) command.addOption(toCommandOption(option));
  addExamples(command, [
    'plant-store serve',
    'plant-store serve --port 8080 --data-dir /var/lib/plant-store',
    'PORT=0 LOG_FORMAT=json plant-store serve --rate-limit 100/s',
  ]);
}

function loadServeConfig(command: Command, context: CommandContext): Config {
  const flags: Record<string, string | undefined> = {};
  for (const option of command.options) {
    const value = command.getOptionValue(option.attributeName()) as string | true | undefined;
    flags[option.long ?? ''] = value === true ? 'true' : value;
  }
  const { unknownFlags, problems } = sortLeftovers(command.args, Object.keys(flags));
  let config: Config | undefined;
  try {
    config = loadConfig({ ...flags, ...unknownFlags }, context.env);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    problems.unshift(...error.problems);
  }
  if (config === undefined || problems.length > 0) throw new UsageError(...problems);
  return toAbsolutePaths(config, context.cwd);
}

/** What the parser could not use. The word after an unknown flag is taken for its value. */
function sortLeftovers(args: readonly string[], known: readonly string[]): { unknownFlags: Flags; problems: string[] } {
  const unknownFlags: Record<string, string> = {};
  const problems: string[] = [];
  let isValue = false;
  for (const arg of args) {
    const isFlag = arg.startsWith('-') && arg !== '-' && arg !== '--';
    // Without its value, which may be a secret after a misspelt flag.
    const flag = arg.replace(/=.*$/s, '');
    if (flag !== arg && known.includes(flag)) problems.push(`Cannot use ${flag}: it takes no value`);
    else if (isFlag) unknownFlags[flag] = '';
    else if (!isValue)
      problems.push(
        `Cannot use argument ${JSON.stringify(arg.slice(0, 80))}: serve takes flags only (with npm, write them after --, as in: npm start -- --port 3001)`,
      );
    isValue = isFlag && !arg.includes('=');
  }
  return { unknownFlags, problems };
}

function toAbsolutePaths(config: Config, cwd: string): Config {
  const absolute = (path: string | undefined): string | undefined =>
    path === undefined ? undefined : resolve(cwd, path);
  return {
    ...config,
    dataDir: resolve(cwd, config.dataDir),
    initialTokenFile: absolute(config.initialTokenFile),
    webhookKeyFile: absolute(config.webhookKeyFile),
    tlsCertFile: absolute(config.tlsCertFile),
    tlsKeyFile: absolute(config.tlsKeyFile),
  };
}
