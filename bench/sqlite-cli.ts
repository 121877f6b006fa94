/** SQLite's command-line program, importing the same CSV into the same schema. */
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Workspace } from './workspace.ts';

export function hasSqliteCli(): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'sqlite3')));
}

/** The service's durability and page cache; the program uses one transaction. */
const settings = 'PRAGMA synchronous = FULL; PRAGMA cache_size = -32768;';

/** Fills the tables of counts, like the service. */
const triggers = `CREATE TEMP TRIGGER keep AFTER INSERT ON main.plants BEGIN
  INSERT INTO tag_counts VALUES (new.tag, 1) ON CONFLICT (tag) DO UPDATE SET plants = plants + 1;
  UPDATE plant_count SET plants = plants + 1;
END;`;

/**
 * Fills the search index, correct for the names and tags of the benchmark. Afterwards and in the
 * order of ids: FTS5 would flush its buffer for every second row of a file with random ids.
 */
const indexPlants = `INSERT INTO plant_words (rowid, tokens)
  SELECT id, lower(name) || ' __' || replace(tag, ' ', '_20') FROM plants ORDER BY id;`;

export interface SqliteImport {
  /** A database of the service, without plants. */
  readonly template: string;
  readonly csv: string;
  readonly rows: number;
}

/**
 * Imports into a copy of the template. Resolves to the time in seconds.
 * @throws Error unless all rows are stored.
 */
export async function importWithSqlite(workspace: Workspace, { template, csv, rows }: SqliteImport): Promise<number> {
  const path = workspace.makePath('plants.db');
  copyFileSync(template, path);
  const startedAt = performance.now();
  const script = ['.bail on', settings, triggers, `.import --csv --skip 1 ${csv} plants`, indexPlants, ''].join('\n');
  await workspace.run({ command: 'sqlite3', args: [path] }, script);
  const seconds = (performance.now() - startedAt) / 1000;
  // Every name of the benchmark has a word that begins with "0".
  const query = `SELECT count(*) FROM plant_words WHERE plant_words MATCH '0*'`;
  const count = await workspace.run({ command: 'sqlite3', args: [path, query] });
  if (Number(count) !== rows) throw new Error(`sqlite3 imported ${count.trim()} rows of ${rows}`);
  rmSync(path);
  return seconds;
}
