/** SQLite's command-line program, importing the same CSV into the same schema. */
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Workspace } from './workspace.ts';

export function hasSqliteCli(): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'sqlite3')));
}

/** The service's durability and page cache; the program uses one transaction. */
const settings = 'PRAGMA synchronous = FULL; PRAGMA cache_size = -32768;';

/** Fills the derived tables, like the service. Correct for ASCII names. */
const triggers = `CREATE TEMP TRIGGER keep AFTER INSERT ON main.plants BEGIN
  INSERT INTO plant_tags SELECT new.tag, new.id WHERE new.tag IS NOT NULL;
  INSERT INTO plant_names VALUES (lower(new.name), new.id);
  INSERT INTO tag_counts VALUES (new.tag, 1) ON CONFLICT (tag) DO UPDATE SET plants = plants + 1;
  UPDATE plant_count SET plants = plants + 1;
END;`;

export interface SqliteImport {
  /** A database of the service, without plants. */
  readonly template: string;
  readonly csv: string;
  readonly rows: number;
  /** The plants table with its indexes, or also the tables of names and counts. */
  readonly tables: 'plants' | 'all';
}

/**
 * Imports into a copy of the template. Resolves to the time in seconds.
 * @throws Error unless all rows are stored.
 */
export async function importWithSqlite(
  workspace: Workspace,
  { template, csv, rows, tables }: SqliteImport,
): Promise<number> {
  const path = workspace.makePath('plants.db');
  copyFileSync(template, path);
  const startedAt = performance.now();
  const before = tables === 'all' ? `${settings}\n${triggers}` : settings;
  await workspace.run(
    { command: 'sqlite3', args: [path] },
    `.bail on\n${before}\n.import --csv --skip 1 ${csv} plants\n`,
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const table = tables === 'all' ? 'plant_names' : 'plants';
  const count = await workspace.run({ command: 'sqlite3', args: [path, `SELECT count(*) FROM ${table}`] });
  if (Number(count) !== rows) throw new Error(`sqlite3 imported ${count.trim()} rows of ${rows}`);
  rmSync(path);
  return seconds;
}
