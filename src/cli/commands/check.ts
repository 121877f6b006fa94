/** `plant-store check`: verifies the store and shows its numbers. Reads only, also while served. */
import { resolve } from 'node:path';
import type { CheckResult } from '../../store/check-result.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand } from '../inputs/add-command.ts';
import { type GivenLocation, readStoreLocation, toStoreOptions } from '../inputs/store.ts';
import { toTable } from '../output/to-table.ts';

interface Given extends GivenLocation {
  readonly tempDir?: string;
  readonly json?: boolean;
}

export const checkCommand = defineCommand({
  name: 'check',
  summary: 'Check the database',
  description:
    'Check the database and show its size. Exits with 1 if it is damaged. Works while the service runs. A data folder is copied first, which needs as much space as the database has.',
  options: [
    ['--temp-dir <path>', 'Folder for the copy (default: the data folder)'],
    ['--json', 'Write one JSON object'],
    ...toStoreOptions(),
  ],
  examples: ['plant-store check', 'plant-store check --json --data-dir /var/lib/plant-store'],
  run: check,
});

async function check({ json = false, tempDir, ...given }: Given, context: CommandContext): Promise<void> {
  const location = readStoreLocation(given, context);
  const { checkStore } = await import('../../store/maintenance.ts');
  const result = await checkStore(location, tempDir === undefined ? undefined : resolve(context.cwd, tempDir));
  context.stdout.write(json ? `${JSON.stringify(result, undefined, 2)}\n` : toText(result));
  if (result.problems.length > 0) context.setExitCode(1);
}

/** A small store would show as 0.0 MiB. */
function toBinarySize(bytes: number): string {
  return bytes < 1024 ** 2 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}

function toText(result: CheckResult): string {
  const rows = [
    ['Plants', String(result.plants ?? 'unknown')],
    ['Tags', String(result.tags ?? 'unknown')],
    ['Tokens', String(result.tokens ?? 'unknown')],
    ['Size', toBinarySize(result.bytes)],
    ['Schema', String(result.schemaVersion)],
    result.postgresVersion === undefined
      ? ['SQLite', `${result.sqliteVersion ?? ''}, journal mode ${result.journalMode ?? ''}`]
      : ['PostgreSQL', result.postgresVersion],
    ['Sound', result.problems.length === 0 ? 'yes' : 'NO'],
  ];
  return toTable(rows) + result.problems.map((problem) => `${problem}\n`).join('');
}
