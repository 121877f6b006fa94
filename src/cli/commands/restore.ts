/** `plant-store restore`: verifies a backup and puts it into the folder of a stopped service. */
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stateOf } from '../../domain/principal.ts';
import { toJson } from '../../json/to-json.ts';
import { toSystemReason } from '../../system/system-error.ts';
import { toShellWord } from '../../system/to-shell-word.ts';
import type { RestoredStore } from '../../store/maintenance.ts';
import { type CommandContext, toProgram } from '../command-context.ts';
import { defineCommand } from '../inputs/add-command.ts';
import { type GivenLocation, readStoreLocation, toStoreOptions, withTokenStore } from '../inputs/store.ts';
import { toCount } from '../output/to-count.ts';
import { toIsoTime } from '../output/to-iso-time.ts';

interface Given extends GivenLocation {
  readonly force?: boolean;
  readonly json?: boolean;
}

export const restoreCommand = defineCommand({
  name: 'restore',
  summary: 'Restore a backup',
  description:
    'Put the backup FILE into the data folder, tokens included. The backup is verified first; the service must be stopped.',
  argument: ['<file>', 'A file that "plant-store backup" wrote'],
  options: [
    ['--force', 'Keep the existing database under another name and replace it'],
    ['--json', 'Write one JSON object'],
    ...toStoreOptions('folder'),
  ],
  examples: [
    'plant-store restore plants-2026-11-20.db',
    'plant-store restore plants-2026-11-20.db --data-dir /var/lib/plant-store --force',
  ],
  run: restore,
});

async function restore(
  { force = false, json = false, ...given }: Given,
  context: CommandContext,
  file: string,
): Promise<void> {
  const location = readStoreLocation(given, context);
  const { restoreStore } = await import('../../store/maintenance.ts');
  const suffix = `before-${new Date(context.now()).toISOString().replaceAll(/[:.]/g, '-')}`;
  const restored = restoreStore(location, resolve(context.cwd, file), { isForced: force, suffix });
  const { check, keptAs, folder, lastChangeAt } = restored;
  const lastChange = lastChangeAt === undefined ? null : toIsoTime(lastChangeAt);
  // The store is replaced by now: whatever happens to this file is a remark, no failure.
  let tokenProblem: string | undefined;
  const stalePath = await putStaleTokenAside(folder, suffix, context).catch((cause: unknown) => {
    tokenProblem = toSystemReason(cause);
    return undefined;
  });
  const { plants, tokens } = check;
  if (json)
    context.stdout.write(`${toJson({ folder, plants, tokens, lastChange, keptAs, oldTokenFile: stalePath })}\n`);
  else printReport(restored, stalePath, context);
  if (restored.isPlainCopy)
    context.stderr.write(
      'plant-store: The file is a copy of a plants.db, and not made by "plant-store backup": if a service was running when it was copied, the writes that were in plants.db-wal are missing. Compare the number of plants and the last change with what you expect\n',
    );
  if (tokenProblem !== undefined)
    context.stderr.write(
      `plant-store: The backup is restored, but initial-token could not be checked: ${tokenProblem}. If it is of another store, commands would send its token: remove it\n`,
    );
}

function printReport(
  { folder, check: { plants, tokens }, keptAs, lastChangeAt, webhooks }: RestoredStore,
  stalePath: string | undefined,
  context: CommandContext,
): void {
  context.stdout.write(`Restored ${toCount(plants ?? 0, 'plant')} and ${toCount(tokens ?? 0, 'token')} to ${folder}\n`);
  if (lastChangeAt !== undefined)
    context.stdout.write(`Its last change is of ${toIsoTime(lastChangeAt)}: what was written later is lost\n`);
  if (keptAs !== undefined)
    context.stdout.write(
      `The ${keptAs.endsWith('-wal') ? 'log of the old store' : 'old store'} is kept as ${keptAs}\n`,
    );
  context.stdout.write(
    `The tokens of the backup are active again, also those revoked since. If you have none of them, create one with: ${toProgram(context)} token create --data-dir ${toShellWord(folder)} --name NAME --scope plants:read plants:write\n`,
  );
  if (webhooks > 0)
    context.stdout.write(
      `So are its webhooks (${webhooks}): with the addresses and secrets of then, and enabled or not as then. Check them once the service runs\n`,
    );
  if (stalePath !== undefined)
    context.stdout.write(`The old initial-token is no longer valid; it is kept as ${stalePath}\n`);
}

/** initial-token may be of another store, and commands would send it. A valid one stays. */
async function putStaleTokenAside(
  folder: string,
  suffix: string,
  context: CommandContext,
): Promise<string | undefined> {
  const path = join(folder, 'initial-token');
  if (!existsSync(path)) return undefined;
  const { hashToken } = await import('../../auth/token.ts');
  const hash = hashToken(readFileSync(path, 'utf8').trim());
  const record = await withTokenStore({ dataDir: folder }, context, (tokens) => tokens.findByHash(hash));
  if (record !== undefined && stateOf(record, context.now()) === 'active') return undefined;
  const asidePath = `${path}.${suffix}`;
  renameSync(path, asidePath);
  return asidePath;
}
