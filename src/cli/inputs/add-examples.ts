/** The examples below the help of a command. */
import type { Command } from 'commander';

export function addExamples(command: Command, examples: readonly string[]): void {
  command.addHelpText('after', ['', 'Examples:', ...examples.map((example) => `  ${example}`)].join('\n'));
}
