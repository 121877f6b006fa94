/** What each part needs: options, generator, report, and the store of a million plants. */
import { existsSync } from 'node:fs';
import { openGenerator } from './generator.ts';
import type { Generator } from './load.ts';
import type { Options } from './options.ts';
import { Report } from './report.ts';
import { seedFolder } from './seed-folder.ts';
import { type Service, startService, withoutLog } from './service.ts';
import { Workspace } from './workspace.ts';

export interface Bench {
  readonly options: Options;
  readonly workspace: Workspace;
  readonly generator: Generator;
  readonly report: Report;
  readonly elapsedSeconds: () => number;
  /** Whether no further turn should start. */
  readonly isLate: () => boolean;
  /** Starts a service on a fresh folder, or on the given one. */
  readonly startService: (folder?: string, env?: Readonly<Record<string, string>>) => Promise<Service>;
  /** The same, without its change log. */
  readonly startWithoutLog: (folder?: string) => Promise<Service>;
  /**
   * The service with plants from index 0, `options.rows` of them, plus those that parts added; one
   * for the run.
   */
  readonly largeService: () => Promise<Service>;
  /** Reserves a range of plant indexes and returns the first. */
  readonly takeIndexes: (count: number) => number;
  /** Stops everything that still runs. */
  readonly close: () => Promise<void>;
}

export function openBench(options: Options): Bench {
  const startedAt = performance.now();
  const workspace = new Workspace();
  const report = new Report(options.json);
  const elapsedSeconds = (): number => (performance.now() - startedAt) / 1000;
  const services: Service[] = [];
  let large: Promise<Service> | undefined;
  let nextIndex = options.rows;
  const start = async (
    folder = workspace.makeFolder('data'),
    nodeOptions: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Service> => {
    const service = await startService(workspace, folder, { profile: options.profile, nodeOptions, env });
    services.push(service);
    return service;
  };
  return {
    options,
    workspace,
    report,
    generator: openGenerator(workspace, existsSync),
    elapsedSeconds,
    isLate: () => elapsedSeconds() > options.limitSeconds,
    startService: (folder, env) => start(folder, [], env),
    startWithoutLog: (folder) => start(folder, withoutLog),
    largeService: () =>
      (large ??= seedFolder(workspace, options.rows).then(({ folder, seconds }) => {
        report.say(`made a store of ${options.rows} plants with random ids in ${seconds.toFixed(1)} s`);
        return start(folder);
      })),
    takeIndexes: (count) => (nextIndex += count) - count,
    close: async () => {
      for (const service of services) await service.stop();
    },
  };
}
