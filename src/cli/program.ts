/**
 * The command line: builds the program from its commands, runs it, and turns every failure into
 * one line and an exit code. Each command has a file of its own.
 */
import { inspect } from 'node:util';
import { Command, CommanderError } from 'commander';
import { UsageError } from '../config/usage-error.ts';
import { ServiceError } from '../domain/errors.ts';
import type { CommandGroup } from './commands/command-groups.ts';
import { addCompletion, suggest, suggestionCommand } from './commands/completion.ts';
import { type CommandContext, type Output, toProgram } from './command-context.ts';
import { toPrintable, toSafeOutput } from './output/to-printable.ts';
import { addCommand } from './inputs/add-command.ts';
import { findArgumentProblem } from './inputs/argument-bytes.ts';
import { demoCommand } from './serve/demo.ts';
import { addServe } from './serve/serve.ts';

/** Runs one command line, without program and script name. Sets the exit code; never throws. */
export async function runProgram(args: readonly string[], world: CommandContext): Promise<void> {
  // Whatever a command prints of names, arguments and answers, it cannot control the terminal.
  const stderr = toSafeOutput(world.stderr);
  const own = toProgram(world);
  const hint = own === 'plant-store' ? undefined : `Here, plant-store is: ${own}`;
  const outputs = { stdout: toSafeOutput(world.stdout), stderr: hint === undefined ? stderr : withHint(stderr, hint) };
  // The commands that read standard input open it.
  const context = Object.assign(Object.create(world) as CommandContext, outputs);
  try {
    const problem = findArgumentProblem(args);
    if (problem !== undefined) throw new UsageError(problem);
    // A service starts without the code of other commands: 40 modules.
    const groups = args[0] === 'serve' ? [] : (await import('./commands/command-groups.ts')).commandGroups;
    const program = buildProgram(context, groups);
    if (hint !== undefined) program.addHelpText('afterAll', `\n${hint}`);
    if (args[0] === suggestionCommand) suggest(program, args.slice(2), context);
    else await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    context.setExitCode(report(error, context));
  }
}

export function buildProgram(context: CommandContext, groups: readonly CommandGroup[]): Command {
  const program = new Command('plant-store')
    .description('Stores plants: an HTTP service, and commands to use and maintain it.')
    .usage('COMMAND [options]')
    .version(context.version, '-V, --version', 'Show the version')
    .helpOption('-h, --help', 'Show help')
    .helpCommand(false)
    .exitOverride()
    .configureHelp({
      subcommandTerm: (command) => `${command.name()} ${command.usage().replace('[options]', '').trim()}`.trim(),
    })
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
  plant-store serve                                Serve on port 3000
  plant-store put 7 --name Monstera --tag climber  Create a plant
  plant-store import plants.csv                    Import plants
  plant-store help token create                    Show help for one command

While the service runs, its documentation is at http://127.0.0.1:3000/docs`,
    );
  program.commandsGroup('Service:');
  addServe(program, context);
  addCommand(program, demoCommand, context);
  for (const { heading, word, commands } of groups) {
    program.commandsGroup(heading);
    const parent = word === undefined ? program : addWord(program, word);
    for (const command of commands) addCommand(parent, command, context);
  }
  program.commandsGroup('Help:');
  addHelp(program);
  addCompletion(program, context);
  return program;
}

/** Adds a command that only has commands. */
function addWord(program: Command, { name, summary, note = '' }: NonNullable<CommandGroup['word']>): Command {
  return program
    .command(name)
    .summary(summary)
    .description(`${summary}. ${note}`.trim())
    .usage('COMMAND [options]')
    .configureOutput({ outputError: (text, write) => write(toLine(text, `help ${name}`)) })
    .helpCommand(false);
}

/** Messages that name a command say once how it is started. */
function withHint(stderr: Output, hint: string): Output {
  let isSaid = false;
  const write = (text: string): void => {
    stderr.write(text);
    if (isSaid || !/plant-store [a-z]/.test(text)) return;
    isSaid = true;
    stderr.write(`${hint}\n`);
  };
  return Object.assign(Object.create(stderr) as Output, { write });
}

function addHelp(program: Command): void {
  program
    .command('help')
    .summary('Show help for a command')
    .description('Show help for a command.')
    .argument('[command...]', 'The command')
    .addHelpText('after', '\nExamples:\n  plant-store help import\n  plant-store help token create')
    .action((words: readonly string[]) => {
      let command = program;
      for (const word of words) {
        const found = command.commands.find((each) => each.name() === word);
        if (found === undefined)
          throw new UsageError(
            `Cannot use command "${words.join(' ').slice(0, 80)}": ${toNoCommand(command === program ? 'help' : `help ${command.name()}`)}`,
          );
        command = found;
      }
      command.help();
    });
}

/** Reports the error; returns the exit code: 0 for help, 2 for a wrong command line, else 1. */
function report(error: unknown, { stderr, env }: CommandContext): number {
  // The parser has already written its message or the help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UsageError) {
    for (const problem of error.problems) stderr.write(`plant-store: ${toPrintable(problem)}\n`);
    return 2;
  }
  const isDebug = ['debug', 'trace'].includes(env['LOG_LEVEL']?.toLowerCase() ?? '');
  const message = toMessage(error);
  stderr.write(
    isDebug
      ? `plant-store: ${inspect(error)}\n`
      : `plant-store: ${toPrintable(message.replaceAll(/\s*\n\s*/g, '; '))}\n`,
  );
  return 1;
}

/** With the cause of an error that a service would only log. */
function toMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof ServiceError) || !(error.cause instanceof Error)) return error.message;
  return `${error.message}: ${error.cause.message}`;
}

/** Messages of the parser, in our words. */
const rewordings: readonly (readonly [parser: RegExp, ours: string])[] = [
  [
    /^option '(--\S+).*' argument '(.*)' is invalid\. Allowed choices are (.*)\.$/,
    'Cannot use $1 "$2": must be one of $3',
  ],
  [
    /^command-argument value '(.*)' is invalid for argument '(.*)'\. Allowed choices are (.*)\.$/,
    'Cannot use $2 "$1": must be one of $3',
  ],
  [
    /^unknown command '(.*)' \(Did you mean (.*)\?\)$/,
    'Cannot use command "$1": there is no such command; did you mean $2?',
  ],
  [/^required option '(--\S+).*' not specified$/, 'Cannot run the command: option $1 is missing'],
  [/^missing required argument '(.*)'$/, 'Cannot run the command: argument <$1> is missing'],
  [/^unknown option '(\S+)' \(Did you mean (\S+)\?\)$/, 'Cannot use $1: there is no such option; did you mean $2?'],
  [/^unknown option '([^'=]+)'$/, 'Cannot use $1: there is no such option'],
  [/^unknown option '([^'=]+)='$/, 'Cannot use $1: there is no such option, or it takes no value'],
  [/^option '(--\S+).*' argument missing$/, 'Cannot use $1: its value is missing'],
];

/**
 * The parser's message as one line in our form. The text after "=" may be a secret, and is
 * removed.
 * @param help lists the commands.
 */
function toLine(text: string, help = 'help'): string {
  const line = text
    .trim()
    .replace(/^error: /, '')
    .replace(/'(--?[^'=\s]+=)[^']*'/, "'$1'")
    .replaceAll(/\s*\n\s*/g, ' ');
  const reworded = rewordings
    .reduce((message, [parser, ours]) => message.replace(parser, ours), line)
    .replace(/^unknown command '(.*)'$/, `Cannot use command "$1": ${toNoCommand(help)}`);
  return `plant-store: ${reworded.charAt(0).toUpperCase()}${reworded.slice(1)}\n`;
}

function toNoCommand(help: string): string {
  return `there is no such command; "plant-store ${help}" lists all`;
}
