/** The options `--tag` and `--no-tag` of the commands that write a plant. */
import type { Command } from 'commander';
import { UsageError } from '../usage-error.ts';

/** Adds both; giving both is refused, which the parser would not notice. */
export function addTagFlags(command: Command, tagHelp: string, noTagHelp: string): Command {
  const given = new Set<string>();
  for (const name of ['tag', 'no-tag']) command.on(`option:${name}`, () => given.add(name));
  return command
    .option('--tag <tag>', tagHelp)
    .option('--no-tag', noTagHelp)
    .hook('preAction', () => {
      if (given.size > 1)
        throw new UsageError([`Cannot ${command.name()} plant: --tag and --no-tag exclude each other`]);
    });
}
