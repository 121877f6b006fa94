/** What can follow an unfinished command line: commands, options, and the choices of both. Pure. */
import type { Argument, Command, Option } from 'commander';

export interface Suggestion {
  readonly word: string;
  /** The help of the option, in one line; may be empty. */
  readonly help: string;
}

/**
 * Returns what the unfinished word can become; nothing where any text, such as the name of a file,
 * is allowed.
 * @param words after the name of the program, as typed; the last one is unfinished, perhaps empty.
 */
export function toSuggestions(program: Command, words: readonly string[]): readonly Suggestion[] {
  const unfinished = words.at(-1) ?? '';
  return findAll(program, words.slice(0, -1), unfinished).filter(({ word }) => word.startsWith(unfinished));
}

function findAll(program: Command, before: readonly string[], unfinished: string): readonly Suggestion[] {
  const { command, isHelp, awaiting, argument } = follow(program, before);
  if (awaiting !== undefined) return toChoices(awaiting.argChoices);
  const [, name] = /^(--[^=]+)=/.exec(unfinished) ?? [];
  if (name !== undefined) return toChoices(findOption(command, name)?.argChoices, `${name}=`);
  if (unfinished.startsWith('-')) return toOptions(command);
  const commands = command.createHelp().visibleCommands(command);
  if (commands.length > 0) return commands.map((each) => ({ word: each.name(), help: each.summary() }));
  if (isHelp) return [];
  return argument === undefined ? toOptions(command) : toChoices(argument.argChoices);
}

/** Where a command line has got to. */
interface Position {
  readonly command: Command;
  /** Whether the words name a command whose help is wanted. */
  readonly isHelp: boolean;
  /** The option whose value comes next. */
  readonly awaiting: Option | undefined;
  /** The argument that comes next; undefined if the command takes no more. */
  readonly argument: Argument | undefined;
}

function follow(program: Command, words: readonly string[]): Position {
  let command = program;
  let isHelp = false;
  let awaiting: Option | undefined;
  let count = 0;
  for (const word of words) {
    if (word.startsWith('-')) {
      const option = findOption(command, word);
      awaiting = option?.required === true || option?.optional === true ? option : undefined;
    } else if (awaiting !== undefined) {
      if (!awaiting.variadic) awaiting = undefined;
    } else {
      const next = command.commands.find((each) => each.name() === word);
      if (next === undefined) count += 1;
      else if (next.name() === 'help') isHelp = true;
      else command = next;
    }
  }
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  return {
    command,
    isHelp,
    awaiting,
    argument: registeredArguments[count] ?? (last?.variadic === true ? last : undefined),
  };
}

function findOption(command: Command, name: string): Option | undefined {
  return command.options.find(({ long, short }) => long === name || short === name);
}

function toOptions(command: Command): readonly Suggestion[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long, description }) => (typeof long === 'string' ? [{ word: long, help: description }] : []));
}

function toChoices(choices: readonly string[] | undefined, prefix = ''): readonly Suggestion[] {
  return (choices ?? []).map((choice) => ({ word: prefix + choice, help: '' }));
}
