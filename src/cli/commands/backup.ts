/**
 * `plant-store backup`: a verified copy of the store in one file, also while the service runs. In a
 * folder the file is named after the time, and older ones can be removed.
 */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { toJson } from '../../json/to-json.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand } from '../inputs/add-command.ts';
import { UsageError } from '../../config/usage-error.ts';
import { toSystemReason } from '../../system/system-error.ts';
import { type GivenLocation, readStoreLocation, toStoreOptions } from '../inputs/store.ts';
import { toCount } from '../output/to-count.ts';

interface Given extends GivenLocation {
  readonly json?: boolean;
  readonly keep?: string;
}

/** Backups to keep at most: some years of one each day. */
const keepMax = 1_000;
/** Names that this command makes: in the order of time, and of nothing else. */
const namePattern = /^plants-\d{8}T\d{6}Z\.db$/;

export const backupCommand = defineCommand({
  name: 'backup',
  summary: 'Back up the store to one file',
  description:
    'Copy a consistent snapshot of the store to FILE. The copy is verified before it is saved under that name. Works while the service runs.',
  argument: [
    '<file>',
    'The backup; an existing file is replaced, unless it has more than twice as many plants as the store. In an existing folder it is named after the time, such as plants-20261120T031500Z.db',
  ],
  options: [
    [
      '--keep <number>',
      `Number of backups to keep in the folder, 1 to ${keepMax}: once the new one is verified, the oldest with such names are removed; those dated in the future do not count, and the newest one with more than twice as many plants as the store stays`,
    ],
    ['--json', 'Write one JSON object'],
    ...toStoreOptions('folder'),
  ],
  examples: [
    'plant-store backup plants-2026-11-20.db',
    'plant-store backup /mnt/backup --keep 14 --data-dir /var/lib/plant-store',
  ],
  run: backUp,
});

async function backUp({ json = false, keep, ...given }: Given, context: CommandContext, word: string): Promise<void> {
  // In a pipe, the message would be taken for a backup.
  if (word === '-') throw new UsageError('Cannot back up to standard output: name a file');
  const location = readStoreLocation(given, context);
  const target = resolve(context.cwd, word);
  const isFolder = existsSync(target) && statSync(target).isDirectory();
  const kept = keep === undefined ? undefined : readKeep(keep, isFolder);
  const name = toName(context.now());
  const file = isFolder ? join(word, name) : word;
  const { backupStore, hasFarMorePlants } = await import('../../store/maintenance.ts');
  const { plants, tokens } = await backupStore(location, isFolder ? join(target, name) : target);
  const earlier = isFolder ? findEarlier(target, name) : [];
  const larger = earlier.find((each) => hasFarMorePlants(join(target, each), plants));
  const removed = kept === undefined ? [] : removeOldest(target, earlier, { newest: name, kept, larger });
  if (larger !== undefined)
    context.stderr.write(
      `plant-store: The store has ${toCount(plants ?? 0, 'plant')}, less than half of those in ${larger}: plants may be lost. That backup stays, however many to keep; if all is well, remove it\n`,
    );
  if (json) {
    context.stdout.write(`${toJson({ file, plants, tokens, ...(kept === undefined ? {} : { removed }) })}\n`);
    return;
  }
  context.stdout.write(`Backed up ${toCount(plants ?? 0, 'plant')} and ${toCount(tokens ?? 0, 'token')} to ${file}\n`);
  if (removed.length > 0) context.stdout.write(`Removed ${removed.join(', ')}\n`);
}

function readKeep(text: string, isFolder: boolean): number {
  const number = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : Infinity;
  if (number > keepMax) throw new UsageError(`Cannot use --keep "${text}": must be an integer from 1 to ${keepMax}`);
  if (!isFolder) throw new UsageError('Cannot use --keep: give an existing folder in place of the file');
  return number;
}

/** @param now milliseconds since 1970. */
function toName(now: number): string {
  return `plants-${new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')}.db`;
}

/** Newest first. Names that seem later, of a clock that was ahead, do not count. */
function findEarlier(folder: string, newest: string): readonly string[] {
  const isBackup = (name: string): boolean =>
    namePattern.test(name) && name < newest && statSync(join(folder, name)).isFile();
  return readdirSync(folder).filter(isBackup).toSorted().toReversed();
}

interface Rotation {
  readonly newest: string;
  readonly kept: number;
  /** The newest that has far more plants: it may be the last good one. */
  readonly larger: string | undefined;
}

function removeOldest(
  folder: string,
  earlier: readonly string[],
  { newest, kept, larger }: Rotation,
): readonly string[] {
  const oldest = earlier.slice(kept - 1).filter((name) => name !== larger);
  for (const name of oldest) {
    try {
      rmSync(join(folder, name));
    } catch (cause) {
      throw new Error(`Backed up to ${join(folder, newest)}, but cannot remove ${name}: ${toSystemReason(cause)}`, {
        cause,
      });
    }
  }
  return oldest;
}
