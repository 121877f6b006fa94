/** `plant-store copy`: moves a store from a folder to a database, or back. */
import { resolve } from 'node:path';
import { Option } from 'commander';
import { UsageError } from '../../config/usage-error.ts';
import { loadOptions } from '../../config/load-config.ts';
import { isSystemError, toSystemReason } from '../../system/system-error.ts';
import type { StoreLocation } from '../../store/store-location.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand, stoppedExitCode, toStopSignal } from '../inputs/add-command.ts';
import { toDatabaseLocation } from '../inputs/store.ts';
import { Progress } from '../output/progress.ts';
import { toCount } from '../output/to-count.ts';

interface Given {
  readonly from: string;
  readonly to: string;
  readonly json?: boolean;
}

export const copyCommand = defineCommand({
  name: 'copy',
  summary: 'Copy a store to another place',
  description:
    'Copy all plants and tokens to another store, and compare both. Stop the services of both first. Run the same command again to continue a copy that was stopped. The password of a database can be in the file that DATABASE_PASSWORD_FILE names. Exit code 130: stopped.',
  options: [
    new Option('--from <place>', 'Data folder, or URL of a PostgreSQL database').makeOptionMandatory(),
    new Option(
      '--to <place>',
      'Data folder, or URL of a PostgreSQL database with tables (plant-store migrate)',
    ).makeOptionMandatory(),
    ['--json', 'Write one JSON object'],
  ],
  examples: [
    'plant-store copy --from data --to postgres://plants@db.example/plants',
    'plant-store copy --from postgres://plants@db.example/plants --to data',
  ],
  run: copy,
});

async function copy({ from, to, json = false }: Given, context: CommandContext): Promise<void> {
  const [source, destination] = [toLocation(from, context), toLocation(to, context)];
  if (JSON.stringify(source) === JSON.stringify(destination))
    throw new UsageError('--from and --to name the same store');
  // Loaded late: help does not need them.
  const { requireDatabase } = await import('../../store/sqlite/store-presence.ts');
  const { copyStore } = await import('../../store/copy-store.ts');
  if ('folder' in source) {
    try {
      requireDatabase(source.folder, 'give another folder with --from');
    } catch (cause) {
      throw new Error(`Cannot copy from ${source.folder}: ${toSystemReason(cause)}`, { cause });
    }
  }
  const progress = new Progress(context.stderr, () => context.now());
  const signal = toStopSignal(context);
  const onProgress = (plants: number): void => progress.update({ rows: BigInt(plants) });
  const onLogBehind = (): void => {
    progress.clear();
    context.stderr.write('plant-store: All plants are copied. Completing the change log of the destination...\n');
  };
  const options = { signal, onProgress, onLogBehind };
  const copying = copyStore(source, destination, options).finally(() => progress.clear());
  const result = await copying.catch((error: unknown) => {
    if (!signal.aborted) throw explainCopy(error, source);
    context.stderr.write(`plant-store: ${toSystemReason(error)}\n`);
    context.setExitCode(stoppedExitCode);
  });
  if (result === undefined) return;
  context.stdout.write(
    json
      ? `${JSON.stringify(result)}\n`
      : `Copied ${toCount(result.copied, 'plant')}; both stores have ${toCount(result.plants, 'plant')} and the ${toCount(result.tokens, 'token')} of the source (SHA-256 ${result.checksum.slice(0, 16)})\n`,
  );
}

/** A source is locked like a store that is served, which a read-only file system does not allow. */
function explainCopy(error: unknown, source: StoreLocation): unknown {
  const isReadOnly = error instanceof Error && isSystemError(error.cause, 'EROFS');
  if (!isReadOnly || !('folder' in source) || !error.message.includes(source.folder)) return error;
  const remedy = 'make a backup with "plant-store backup", restore it to another folder, and copy from there';
  return new Error(`Cannot copy from ${source.folder}: its file system is read-only; ${remedy}`, { cause: error });
}

function toLocation(text: string, { env, cwd }: CommandContext): StoreLocation {
  if (!/^postgres(ql)?:\/\//.test(text)) return { folder: resolve(cwd, text) };
  const { databaseUrl = text, databasePasswordFile } = loadOptions(
    ['databaseUrl', 'databasePasswordFile'],
    { '--database-url': text },
    env,
  );
  return toDatabaseLocation(databaseUrl, databasePasswordFile, cwd);
}
