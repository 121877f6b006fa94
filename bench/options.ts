/** The command line of the benchmark. */
import { resolve } from 'node:path';
import { readArguments, readChoice, readCount, refuse } from '../test/support/command-line.ts';

export interface Options {
  /** The store of the service that is measured. */
  readonly store: 'sqlite' | 'postgres';
  /** The root of another checkout whose service is the baseline. */
  readonly against: string | undefined;
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
  /** A folder for CPU profiles of the service. */
  readonly profile: string | undefined;
}

const helpText = `Usage: npm run bench -- [PART...] [options]

Parts (all of them, unless some are named): PARTS

  --against DIR    compare with the service of another checkout, such as the last
                   release; without it, with a bare node:http server
  --store NAME     sqlite or postgres (sqlite); postgres is compared with SQLite
  --seconds N      length of each side of a turn (2)
  --turns N        turns of each comparison (3)
  --connections N  connections of the load (64)
  --rows N         plants in the large store and in the import (1000000)
  --limit N        seconds after which no further turn begins (170)
  --profile DIR    write a CPU profile of each service process to DIR
  --help`;

export function readOptions(args: readonly string[], partNames: readonly string[]): Options {
  const text = { type: 'string' } as const;
  const { values, positionals } = readArguments(
    {
      args: [...args],
      allowPositionals: true,
      options: {
        against: text,
        store: { ...text, default: 'sqlite' },
        seconds: { ...text, default: '2' },
        turns: { ...text, default: '3' },
        connections: { ...text, default: '64' },
        rows: { ...text, default: '1000000' },
        limit: { ...text, default: '170' },
        profile: text,
        help: { type: 'boolean', default: false },
      },
    },
    helpText.replace('PARTS', partNames.join(', ')),
  );
  const unknown = positionals.filter((name) => !partNames.includes(name));
  if (unknown.length > 0) refuse(`No part is called ${unknown.join(', ')}; there are ${partNames.join(', ')}`);
  const store = readChoice('--store', values.store, ['sqlite', 'postgres']);
  if (store === 'postgres' && values.against !== undefined) refuse('Give --against or --store postgres, not both');
  return {
    store,
    against: values.against === undefined ? undefined : resolve(values.against),
    parts: positionals.length === 0 ? partNames : partNames.filter((name) => positionals.includes(name)),
    seconds: readCount('--seconds', values.seconds),
    turns: readCount('--turns', values.turns),
    connections: readCount('--connections', values.connections),
    limitSeconds: readCount('--limit', values.limit),
    rows: readCount('--rows', values.rows),
    profile: values.profile,
  };
}
