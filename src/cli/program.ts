/**
 * The command line: builds the program out of its commands, runs it, and turns every failure into one clear line and an exit code.
 * What a command does is not here: one file each.
 */
import { inspect } from 'node:util';
import { Command, CommanderError } from 'commander';
import { ConfigError } from '../config/config-error.ts';
import { addBackup } from './commands/backup.ts';
import { addCheck } from './commands/check.ts';
import type { CommandContext } from './command-context.ts';
import { addMigrate } from './commands/migrate.ts';
import { addRestore } from './commands/restore.ts';
import { addDelete } from './commands/delete.ts';
import { addExport } from './commands/export.ts';
import { addGet } from './commands/get.ts';
import { addImport } from './commands/import.ts';
import { addList } from './commands/list.ts';
import { addPut } from './commands/put.ts';
import { addServe } from './serve/serve.ts';
import { addTokenCreate } from './commands/token-create.ts';
import { addTokenList } from './commands/token-list.ts';
import { addTokenRevoke } from './commands/token-revoke.ts';
import { UsageError } from './usage-error.ts';

/** Runs one command line, without program and script name. Resolves when the command is done; its exit code is set, and nothing is thrown. */
export async function runProgram(args: readonly string[], context: CommandContext): Promise<void> {
  try {
    await buildProgram(context).parseAsync([...args], { from: 'user' });
  } catch (error) {
    context.setExitCode(report(error, context));
  }
}

export function buildProgram(context: CommandContext): Command {
  const program = new Command('plant-store')
    .description('Keeps plants: an HTTP service with exact int64 ids, every acknowledged plant on disk.')
    .version(context.version, '-V, --version', 'Show the version')
    .helpOption('-h, --help', 'Show help')
    .helpCommand('help [command]', 'Show help for a command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
      outputError: (text, write) => write(toLine(text)),
      getOutHelpWidth: () => Math.min(context.stdout.columns ?? 100, 120),
      getErrHelpWidth: () => Math.min(context.stderr.columns ?? 100, 120),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText(
      'after',
      `
Examples:
  plant-store serve                                          Serve on http://127.0.0.1:3000
  plant-store put 7 --name Monstera --tag climber            Store a plant in the running service
  plant-store import plants.csv                              Store many
  plant-store token create --name ci --scope plants:write    Make a token that may create plants
  plant-store token create --help                            Show help for one command`,
    );
  addServe(program, context);
  addImport(program, context);
  addExport(program, context);
  addList(program, context);
  addGet(program, context);
  addPut(program, context);
  addDelete(program, context);
  const token = program.command('token').description('Make, list and revoke tokens; works while the service runs.');
  addTokenCreate(token, context);
  addTokenList(token, context);
  addTokenRevoke(token, context);
  addBackup(program, context);
  addRestore(program, context);
  addCheck(program, context);
  addMigrate(program, context);
  return program;
}

/** Tells the user on stderr and returns the exit code: 0 for help, 2 for a command line that cannot be used, 1 for any other failure. */
function report(error: unknown, { stderr, env }: CommandContext): number {
  // The parser has written its line, or the help that was asked for, already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof ConfigError || error instanceof UsageError) {
    for (const fault of error.faults) stderr.write(`plant-store: ${fault}\n`);
    return 2;
  }
  const isDebug = env['LOG_LEVEL'] === 'debug' || env['LOG_LEVEL'] === 'trace';
  const message = error instanceof Error ? error.message : String(error);
  stderr.write(
    isDebug ? `plant-store: ${inspect(error)}\n` : `plant-store: ${message.replaceAll(/\s*\n\s*/g, '; ')}\n`,
  );
  return 1;
}

/** One line in our form out of the parser's one or two; what follows "=" is not repeated, for it may be a secret. */
function toLine(text: string): string {
  const line = text
    .trim()
    .replace(/^error: /, '')
    .replace(/'(--?[^'=\s]+)=[^']*'/, "'$1'")
    .replaceAll(/\s*\n\s*/g, ' ');
  return `plant-store: ${line}\n`;
}
