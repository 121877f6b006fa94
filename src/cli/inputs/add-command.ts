/** Adds a command to the program: its words, options and examples. */
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.ts';

/** Flags and help of an option. */
export type OptionText = readonly [flags: string, help: string];

/** A command: what its help shows, and what it does. */
export interface CommandDefinition<Given = never, Word = never> {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** Such as `<id>`, with its help. */
  readonly argument?: OptionText;
  /** In the order of help. */
  readonly options: readonly (OptionText | Option)[];
  readonly examples: readonly string[];
  /** For what is not a matter of one option. */
  readonly prepare?: (command: Command) => void;
  /** @param word the argument. */
  readonly run: (given: Given, context: CommandContext, word: Word) => void | Promise<void>;
}

/** Checks nothing: `run` says what the command takes. */
export function defineCommand<Given, Word>(definition: CommandDefinition<Given, Word>): CommandDefinition {
  return definition;
}

export function addCommand(
  parent: Command,
  { name, summary, description, argument, options, examples, prepare, run }: CommandDefinition,
  context: CommandContext,
): void {
  const command = parent.command(name).summary(summary).description(description);
  if (argument !== undefined) command.argument(...argument);
  for (const option of options) command.addOption(option instanceof Option ? option : new Option(...option));
  addExamples(command, examples);
  prepare?.(command);
  // The parser gives what the definition names.
  command.action((...words: readonly unknown[]) => run(command.opts<never>(), context, words[0] as never));
}

export function addExamples(command: Command, examples: readonly string[]): void {
  command.addHelpText('after', ['', 'Examples:', ...examples.map((example) => `  ${example}`)].join('\n'));
}

/** What a shell expects of a program that was interrupted: 128 + the number of SIGINT. */
export const stoppedExitCode = 130;

/** Ctrl-C for a command that must tidy up: the first aborts, the second ends the process. */
export function toStopSignal(context: CommandContext): AbortSignal {
  const controller = new AbortController();
  context.onStopSignal(() => {
    if (controller.signal.aborted) context.exitNow(stoppedExitCode);
    controller.abort();
  });
  return controller.signal;
}
