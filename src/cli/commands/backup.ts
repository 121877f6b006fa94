/** `plant-store backup`: a verified copy of the whole store in one file, also while the service runs. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { addStoreLocation, type GivenLocation, readStoreLocation } from '../inputs/store-location.ts';
import { toCount } from '../output/to-count.ts';

export function addBackup(program: Command, context: CommandContext): void {
  addStoreLocation(
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
    .action((file: string, given: GivenLocation) => backUp(file, given, context));
}

async function backUp(file: string, given: GivenLocation, context: CommandContext): Promise<void> {
  const location = readStoreLocation(given, context);
  const { backupStore } = await import('../../store/maintenance.ts');
  const { plants, tokens } = await backupStore(location, resolve(context.cwd, file));
  context.stdout.write(`Backed up ${toCount(plants ?? 0, 'plant')} and ${toCount(tokens ?? 0, 'token')} to ${file}\n`);
}
