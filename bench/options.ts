/** The command line of the benchmark. */
import { readArguments, readChoice, readCount, refuse } from '../test/support/command-line.ts';

const stores = ['sqlite', 'postgres'] as const;
type Store = (typeof stores)[number];

export interface Options {
  readonly store: Store;
  /** Names of parts, in the order to run. */
  readonly parts: readonly string[];
  /** Load time per server and turn, in whole seconds. */
  readonly seconds: number;
  /** How often both servers are measured, alternately. */
  readonly turns: number;
  readonly connections: number;
  /** Time after which no turn starts, except the first one of a running part. */
  readonly limitSeconds: number;
  /** Rows of the large store and of the import. */
  readonly rows: number;
  /** JSON lines instead of a table. */
  readonly json: boolean;
  /** A folder for CPU profiles of the service. */
  readonly profile: string | undefined;
}

const helpText = `Usage: npm run bench -- [PART...] [options]

Parts (all of them, unless some are named): SQLITE
With --store postgres: POSTGRES

  --store NAME     sqlite or postgres (sqlite)
  --seconds N      length of each side of a turn (2)
  --turns N        turns of each comparison (3)
  --connections N  connections of the load (64)
  --rows N         plants in the large store and in the import (1000000)
  --limit N        seconds after which no further turn begins (170; 540 for postgres)
  --json           JSON lines instead of a table
  --profile DIR    write a CPU profile of each service process to DIR
  --help`;

export function readOptions(args: readonly string[], parts: Readonly<Record<Store, readonly string[]>>): Options {
  const help = helpText.replace('SQLITE', parts.sqlite.join(', ')).replace('POSTGRES', parts.postgres.join(', '));
  const { values, positionals } = readArguments(
    {
      args: [...args],
      allowPositionals: true,
      options: {
        store: { type: 'string', default: 'sqlite' },
        seconds: { type: 'string', default: '2' },
        turns: { type: 'string', default: '3' },
        connections: { type: 'string', default: '64' },
        rows: { type: 'string', default: '1000000' },
        limit: { type: 'string' },
        json: { type: 'boolean', default: false },
        profile: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    },
    help,
  );
  const store = readChoice('--store', values.store, stores);
  const partNames = parts[store];
  const unknown = positionals.filter((name) => !partNames.includes(name));
  if (unknown.length > 0) refuse(`No part is called ${unknown.join(', ')}; there are ${partNames.join(', ')}`);
  return {
    store,
    parts: positionals.length === 0 ? partNames : partNames.filter((name) => positionals.includes(name)),
    seconds: readCount('--seconds', values.seconds),
    turns: readCount('--turns', values.turns),
    connections: readCount('--connections', values.connections),
    limitSeconds: readCount('--limit', values.limit ?? (store === 'postgres' ? '540' : '170')),
    rows: readCount('--rows', values.rows),
    json: values.json,
    profile: values.profile,
  };
}
