/** `plant-store migrate`: brings the tables in PostgreSQL up to date, also while services run. */
import { Option } from 'commander';
import { UsageError } from '../../config/usage-error.ts';
import type { Engine } from '../../store/postgres/division.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand } from '../inputs/add-command.ts';
import { type GivenLocation, readStoreLocation, toStoreOptions } from '../inputs/store.ts';

interface Given extends GivenLocation {
  readonly engine?: Engine;
  readonly dryRun?: boolean;
  readonly restored?: boolean;
  readonly json?: boolean;
}

export const migrateCommand = defineCommand({
  name: 'migrate',
  summary: 'Create or update the tables in PostgreSQL',
  description:
    'Create or update the tables in a PostgreSQL database. Safe to run from several machines and while services run.',
  options: [
    new Option('--engine <engine>', 'What a new database is made for (default: postgres)').choices([
      'postgres',
      'citus',
    ]),
    ['--dry-run', 'Print the SQL, which psql can apply, and change nothing'],
    [
      '--restored',
      'Also make the positions of the change log new: run it once after a restore, before you start the service',
    ],
    ['--json', 'Write one JSON object'],
    ...toStoreOptions('database'),
  ],
  examples: [
    'plant-store migrate --database-url postgres://plants@db.example/plants',
    'plant-store migrate --engine citus --database-url postgres://plants@coordinator.example/plants',
    'plant-store migrate --dry-run > migration.sql',
    'plant-store migrate --restored --database-url postgres://plants@db.example/plants',
  ],
  run: migrate,
});

async function migrate(given: Given, context: CommandContext): Promise<void> {
  const location = readStoreLocation(given, context);
  if ('folder' in location)
    throw new UsageError(
      'Cannot migrate without a database: name one with --database-url or DATABASE_URL. A data folder is brought up to date by "plant-store serve"',
    );
  if (given.restored === true && given.dryRun === true)
    throw new UsageError('Cannot migrate: --restored and --dry-run exclude each other');
  const { migrateStore } = await import('../../store/maintenance.ts');
  const { steps, schema, webhooks } = await migrateStore(location, {
    isDryRun: given.dryRun === true,
    isRestored: given.restored === true,
    engine: given.engine,
  });
  if (given.json === true) {
    const sql = given.dryRun === true ? { sql: steps.map((step) => step.sql) } : {};
    context.stdout.write(
      `${JSON.stringify({ schema, steps: steps.length, dryRun: given.dryRun === true, webhooks, ...sql })}\n`,
    );
    return;
  }
  if (given.dryRun === true) {
    for (const { number, sql } of steps) context.stdout.write(`-- Schema ${number}\n${sql}\n\n`);
    if (steps.length === 0) context.stderr.write(`The schema is up to date (${schema})\n`);
    return;
  }
  const done = steps.length === 0 ? 'The schema was up to date' : 'The schema is up to date now';
  context.stdout.write(`${done} (${schema})\n`);
  if (webhooks !== undefined)
    context.stdout.write(
      `The positions of the change log are new: followers read the plants again. Webhooks keep their places (${webhooks})\n`,
    );
}
