/** `plant-store backup`: a verified copy of the whole store in one file, also while the service runs. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { addDataDir, readDataDir } from '../inputs/data-dir.ts';
import { toCount } from '../output/to-count.ts';

export function addBackup(program: Command, context: CommandContext): void {
  addDataDir(
    program
      .command('backup')
      .description(
        'Copy the whole store to FILE as it is at one moment, verify the copy, and only then put it in place. Works while the service runs.',
      )
      .argument('<file>', 'Where to put the backup; a file of that name is replaced'),
  )
    .addHelpText(
      'after',
      `
Examples:
  plant-store backup plants-2026-11-20.db
  plant-store backup /mnt/backup/plants.db --data-dir /var/lib/plant-store`,
    )
    .action((file: string, given: { readonly dataDir?: string }) => backUp(file, given.dataDir, context));
}

async function backUp(file: string, dataDir: string | undefined, context: CommandContext): Promise<void> {
  const folder = readDataDir(dataDir, context);
  const { backupStore } = await import('../../store/maintenance.ts');
  const { plants, tokens } = await backupStore(folder, resolve(context.cwd, file));
  context.stdout.write(`Backed up ${toCount(plants ?? 0, 'plant')} and ${toCount(tokens ?? 0, 'token')} to ${file}\n`);
}
