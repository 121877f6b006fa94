/** `plant-store completion`: a script for a shell, and the hidden command that the script calls. */
import type { Command } from 'commander';
import { Argument } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { addExamples } from '../inputs/add-command.ts';
import { completionScripts, type Shell } from './completion-scripts.ts';
import { toSuggestions } from './suggestions.ts';

/** What the scripts call to get suggestions; not a command of the parser, so no help shows it. */
export const suggestionCommand = 'complete';

export function addCompletion(program: Command, { stdout }: CommandContext): void {
  const command = program
    .command('completion')
    .summary('Print a completion script for a shell')
    .description('Print a script that completes commands and options. Load it in the start-up file of the shell.')
    .addArgument(new Argument('<shell>', 'The shell').choices(Object.keys(completionScripts)))
    .action((shell: Shell) => stdout.write(completionScripts[shell]));
  addExamples(command, [
    'source <(plant-store completion bash)       in ~/.bashrc',
    'source <(plant-store completion zsh)        in ~/.zshrc',
    'plant-store completion fish | source        in ~/.config/fish/config.fish',
  ]);
}

/**
 * Prints suggestions for an unfinished command line: on each line a word, a space and its help.
 * @param words after `complete --`; the last one is unfinished.
 */
export function suggest(program: Command, words: readonly string[], { stdout }: CommandContext): void {
  for (const { word, help } of toSuggestions(program, words)) stdout.write(`${word} ${help}\n`);
}
