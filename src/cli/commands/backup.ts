/** `plant-store backup`: a verified copy of the store in one file, also while the service runs. */
import { resolve } from 'node:path';
import { toJson } from '../../json/to-json.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand } from '../inputs/add-command.ts';
import { type GivenLocation, readStoreLocation, toStoreOptions } from '../inputs/store.ts';
import { toCount } from '../output/to-count.ts';

interface Given extends GivenLocation {
  readonly json?: boolean;
}

export const backupCommand = defineCommand({
  name: 'backup',
  summary: 'Back up the store to one file',
  description:
    'Copy a consistent snapshot of the store to FILE. The copy is verified before it is saved under that name. Works while the service runs.',
  argument: ['<file>', 'The backup; an existing file is replaced'],
  options: [['--json', 'Write one JSON object'], ...toStoreOptions('folder')],
  examples: [
    'plant-store backup plants-2026-11-20.db',
    'plant-store backup /mnt/backup/plants.db --data-dir /var/lib/plant-store',
  ],
  run: backUp,
});

async function backUp({ json = false, ...given }: Given, context: CommandContext, file: string): Promise<void> {
  const location = readStoreLocation(given, context);
  const { backupStore } = await import('../../store/maintenance.ts');
  const { plants, tokens } = await backupStore(location, resolve(context.cwd, file));
  if (json) context.stdout.write(`${toJson({ file, plants, tokens })}\n`);
  else
    context.stdout.write(
      `Backed up ${toCount(plants ?? 0, 'plant')} and ${toCount(tokens ?? 0, 'token')} to ${file}\n`,
    );
}
