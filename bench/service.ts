/** Runs the service as a child process, configured as by `npm start`. */
import { join } from 'node:path';
import type { Server, Workspace } from './workspace.ts';

export interface Service extends Server {
  readonly folder: string;
}

/** The token of every load; sent to bare servers too, so that both read the same bytes. */
export const token = 'a-token-for-the-benchmark-alone';

/** As in `npm start`. */
const asStarted = ['--max-semi-space-size=8'];
/** Node options of a service that does not write the change log. */
export const withoutLog = ['--import', join(import.meta.dirname, 'without-change-log.ts')];
const mainPath = join(import.meta.dirname, '..', 'src', 'main.ts');

export interface NodeOptions {
  /** A folder for CPU profiles, one per thread. */
  readonly profile?: string | undefined;
  readonly nodeOptions?: readonly string[];
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export async function startService(
  workspace: Workspace,
  folder: string,
  { profile, nodeOptions = [], env = {} }: NodeOptions,
): Promise<Service> {
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const server = await workspace.start(
    {
      command: process.execPath,
      args: [...profiling, ...nodeOptions, ...asStarted, mainPath, 'serve'],
      env: { PORT: '0', LOG_FORMAT: 'json', PLANT_STORE_DATA_DIR: folder, PLANT_STORE_INITIAL_TOKEN: token, ...env },
    },
    /"url":"http:\/\/127\.0\.0\.1:(\d+)/,
  );
  return { ...server, folder };
}
