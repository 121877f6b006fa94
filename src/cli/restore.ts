/** `plant-store restore`: puts a backup into the data folder, after verifying it. The service must not run meanwhile. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { CommandContext } from './command-context.ts';
import { addDataDir, readDataDir } from './data-dir.ts';

interface Given {
  readonly dataDir?: string;
  readonly force?: boolean;
}

export function addRestore(program: Command, context: CommandContext): void {
  addDataDir(
    program
      .command('restore')
      .description(
        'Put the backup FILE into the data folder, tokens included. The backup is verified first; the service must be stopped.',
      )
      .argument('<file>', 'A file that "plant-store backup" wrote')
      .option('--force', 'Put a store that is there already aside, under another name in the folder'),
  )
    .addHelpText(
      'after',
      `
Examples:
  plant-store restore plants-2026-11-20.db
  plant-store restore plants-2026-11-20.db --data-dir /var/lib/plant-store --force`,
    )
    .action((file: string, given: Given) => restore(file, given, context));
}

async function restore(file: string, { dataDir, force = false }: Given, context: CommandContext): Promise<void> {
  const folder = readDataDir(dataDir, context);
  const { restoreStore } = await import('../store/maintenance.ts');
  const suffix = `before-${new Date(context.now()).toISOString().replaceAll(/[:.]/g, '-')}`;
  const { report, keptAs } = restoreStore(folder, resolve(context.cwd, file), { isForced: force, suffix });
  context.stdout.write(`Restored ${String(report.plants)} plants and ${String(report.tokens)} tokens to ${folder}\n`);
  if (keptAs !== undefined) context.stdout.write(`The store that was there is kept as ${keptAs}\n`);
}
