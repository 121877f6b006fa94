/** What the parts share: one server, services on it, and a million plants on it and on SQLite. */
import { join } from 'node:path';
import type { Bench } from '../context.ts';
import type { Service } from '../service.ts';
import { type BenchServer, startBenchServer } from './server.ts';

export interface LargeDatabase {
  readonly url: string;
  readonly service: Service;
}

export interface PostgresBench extends Bench {
  readonly server: () => Promise<BenchServer>;
  /** Starts a service on a database. */
  readonly startOn: (url: string) => Promise<Service>;
  /** `options.rows` plants from index 0, imported at the store port; one for the run. */
  readonly largeDatabase: () => Promise<LargeDatabase>;
}

export function toPostgresBench(bench: Bench): PostgresBench {
  let server: Promise<BenchServer> | undefined;
  let large: Promise<LargeDatabase> | undefined;
  const findServer = (): Promise<BenchServer> => (server ??= startBenchServer(bench.workspace));
  const startOn = (url: string): Promise<Service> => bench.startService(undefined, { DATABASE_URL: url });
  const makeLarge = async (): Promise<LargeDatabase> => {
    const { report, workspace, options } = bench;
    const url = await (await findServer()).createDatabase();
    const startedAt = performance.now();
    const args = [join(import.meta.dirname, '..', 'seed.ts'), url, String(options.rows)];
    await workspace.run({ command: process.execPath, args });
    report.add({
      part: 'import',
      name: 'at the port: rows',
      value: (options.rows * 1000) / (performance.now() - startedAt),
      unit: '/s',
      goal: { atLeast: 50_000 },
      note: `${options.rows} rows with random ids, with the start of the program`,
    });
    return { url, service: await startOn(url) };
  };
  return {
    ...bench,
    server: findServer,
    startOn,
    largeDatabase: () => (large ??= makeLarge()),
    close: async () => {
      await bench.close();
      await (await server)?.stop();
    },
  };
}
