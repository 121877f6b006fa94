/** The command-line program of SQLite, which imports the same CSV into the same schema by itself. */
import { copyFileSync, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Workspace } from './workspace.ts';

export function hasSqliteCli(): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'sqlite3')));
}

/**
 * The same durability and as much memory for pages as the service has; one transaction, as the program does it. It fills the table of plants and its
 * indexes alone.
 */
const settings = 'PRAGMA synchronous = FULL; PRAGMA cache_size = -32768;';

/** Imports into a copy of the database `template`, which the service made. Resolves to the time it took, in seconds. @throws Error unless all rows are in. */
export async function importWithSqlite(
  workspace: Workspace,
  template: string,
  csv: string,
  rows: number,
): Promise<number> {
  const path = workspace.makePath('plants.db');
  copyFileSync(template, path);
  const startedAt = performance.now();
  const input = `.bail on\n${settings}\n.import --csv --skip 1 ${csv} plants\n`;
  await workspace.run({ command: 'sqlite3', args: [path] }, input);
  const seconds = (performance.now() - startedAt) / 1000;
  const count = await workspace.run({ command: 'sqlite3', args: [path, 'SELECT count(*) FROM plants'] });
  if (Number(count) !== rows) throw new Error(`sqlite3 imported ${count.trim()} rows of ${rows}`);
  return seconds;
}
