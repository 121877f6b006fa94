/** Asks before a command deletes or overwrites something. Scripts pass `--yes` instead. */
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../usage-error.ts';

export interface ConfirmFlags {
  readonly yes?: boolean;
}

/** Adds `--yes` to a command. */
export function addYes(command: Command): Command {
  return command.option('-y, --yes', 'Do not ask for confirmation; required in scripts');
}

/**
 * Resolves if the user agrees.
 * @throws UsageError when standard input is not a terminal; Error when the answer is not yes.
 */
export async function confirm(question: string, { yes = false }: ConfirmFlags, context: CommandContext): Promise<void> {
  if (yes) return;
  if (context.stdin.isTTY !== true)
    throw new UsageError([`Cannot ask for confirmation: standard input is not a terminal. ${question} Add --yes`]);
  context.stderr.write(`${question} [y/N] `);
  if (!/^y(?:es)?$/i.test((await readLine(context.stdin)).trim())) throw new Error('Cancelled: nothing was changed');
}

function readLine(input: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve) => {
    const lines = createInterface({ input });
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    lines.once('close', () => resolve(''));
  });
}
