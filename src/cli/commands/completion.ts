/** `plant-store completion`: a script for a shell, which the library writes and answers. */
import type { Command } from 'commander';
import { Argument } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { addExamples } from '../inputs/add-command.ts';

/** What the scripts call to get suggestions; hidden from help. */
export const suggestionCommand = 'complete';

/** The library's own command, replaced by ours. */
const setupName = 'tab-setup';

export function addCompletion(program: Command, { stdout }: CommandContext): void {
  const command = program
    .command('completion')
    .summary('Print a completion script for a shell')
    .description('Print a script that completes commands and options. Load it in the start-up file of the shell.')
    .addArgument(new Argument('<shell>', 'The shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: string) => {
      const { default: tab } = await import('@bomb.sh/tab/commander');
      // The library writes to the console, which keeps silent about a full disk; our stream does not.
      stdout.write('');
      tab(program, { completionCommandName: setupName }).setup(program.name(), program.name(), shell);
    });
  addExamples(command, [
    'source <(plant-store completion bash)       in ~/.bashrc',
    'source <(plant-store completion zsh)        in ~/.zshrc',
    'plant-store completion fish | source        in ~/.config/fish/config.fish',
  ]);
}

/**
 * Prints suggestions for the words of an unfinished command line.
 * @param args after `complete --`.
 */
export async function suggest(program: Command, args: readonly string[]): Promise<void> {
  const { default: tab } = await import('@bomb.sh/tab/commander');
  const root = tab(program, { completionCommandName: setupName });
  root.commands.delete(setupName);
  const commands = [...root.commands.values()].filter(({ value }) => !value.includes(' '));
  root.commands.get('help')?.argument(
    'command',
    (complete) => {
      for (const { value, description } of commands) complete(value, description);
    },
    true,
  );
  root.parse([...args]);
}
