/** `plant-store backup`: a verified copy of the store in one file, also while the service runs. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { toJson } from '../../json/to-json.ts';
import type { CommandContext } from '../command-context.ts';
import { addExamples } from '../inputs/add-examples.ts';
import { addStoreLocation, type GivenLocation, readStoreLocation } from '../inputs/store-location.ts';
import { toCount } from '../output/to-count.ts';

interface Given extends GivenLocation {
  readonly json?: boolean;
}

export function addBackup(program: Command, context: CommandContext): void {
  const command = program
    .command('backup')
    .summary('Back up the store to one file')
    .description(
      'Copy a consistent snapshot of the store to FILE. The copy is verified before it is saved under that name. Works while the service runs.',
    )
    .argument('<file>', 'The backup; an existing file is replaced')
    .option('--json', 'Write one JSON object');
  addStoreLocation(command, 'folder').action((file: string, given: Given) => backUp(file, given, context));
  addExamples(command, [
    'plant-store backup plants-2026-11-20.db',
    'plant-store backup /mnt/backup/plants.db --data-dir /var/lib/plant-store',
  ]);
}

async function backUp(file: string, { json = false, ...given }: Given, context: CommandContext): Promise<void> {
  const location = readStoreLocation(given, context);
  const { backupStore } = await import('../../store/maintenance.ts');
  const { plants, tokens } = await backupStore(location, resolve(context.cwd, file));
  if (json) context.stdout.write(`${toJson({ file, plants, tokens })}\n`);
  else
    context.stdout.write(
      `Backed up ${toCount(plants ?? 0, 'plant')} and ${toCount(tokens ?? 0, 'token')} to ${file}\n`,
    );
}
