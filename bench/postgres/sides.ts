/** The ways to create plants that are compared: services over HTTP, and programs without them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../context.ts';
import type { LoadResult } from '../load.ts';
import { plainPlantAt, toBody } from '../plants.ts';
import type { Service } from '../service.ts';
import type { DatabaseLoad } from './database-load.ts';
import type { Side } from './turns.ts';

/** More than any service reaches, so that no id is sent twice. */
const ratePerSecondMax = 70_000;

/** Services that share one store; the connections are spread over them. */
export function toHttpSide(bench: Bench, name: string, services: readonly Service[]): Side {
  const { workspace, generator, options } = bench;
  return {
    name,
    pids: services.map(({ pid }) => pid),
    run: async (_turn, seconds) => {
      const results = await Promise.all(
        services.map(({ port }, index) => {
          const share = Math.ceil((options.connections - index) / services.length);
          const lines = workspace.makePath('creates');
          const count = Math.ceil((ratePerSecondMax * seconds) / services.length);
          const first = bench.takeIndexes(count);
          const bodies = Array.from({ length: count }, (_, offset) => `${toBody(plainPlantAt(first + offset))}\n`);
          writeFileSync(lines, bodies.join(''));
          return generator.run({ port, lines, connections: share, seconds });
        }),
      );
      return addUp(results);
    },
  };
}

/** A program of this folder that loads a database. */
export function toProgramSide(
  bench: Bench,
  name: string,
  program: 'bare-loop.ts' | 'port-load.ts',
  load: Pick<DatabaseLoad, 'url' | 'inFlight' | 'tables'>,
): Side {
  return {
    name,
    run: async (_turn, seconds) => {
      const first = bench.takeIndexes(ratePerSecondMax * seconds * 2);
      const asked: DatabaseLoad = { ...load, first, seconds };
      const args = [join(import.meta.dirname, program), JSON.stringify(asked)];
      return JSON.parse(await bench.workspace.run({ command: process.execPath, args })) as LoadResult;
    },
  };
}

function addUp(results: readonly LoadResult[]): LoadResult {
  const sum = (pick: (result: LoadResult) => number): number => results.reduce((total, each) => total + pick(each), 0);
  const most = (pick: (result: LoadResult) => number): number => Math.max(...results.map(pick));
  return {
    requests: sum((result) => result.requests),
    failures: sum((result) => result.failures),
    issued: sum((result) => result.issued),
    seconds: most((result) => result.seconds),
    p50Ms: most((result) => result.p50Ms),
    p99Ms: most((result) => result.p99Ms),
    cpuSeconds: sum((result) => result.cpuSeconds),
  };
}
