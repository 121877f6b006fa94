/** Chooses the load generator. */
import { delimiter, join } from 'node:path';
import type { Generator, LoadResult } from './load.ts';
import type { Workspace } from './workspace.ts';
import { openWrk } from './wrk.ts';

/** Prefers wrk if installed; our own generator needs more CPU. */
export function openGenerator(workspace: Workspace, exists: (path: string) => boolean): Generator {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  if (folders.some((folder) => exists(join(folder, 'wrk')))) return openWrk(workspace);
  const program = join(import.meta.dirname, 'own-generator.ts');
  return {
    name: 'our own in Node (wrk is not installed)',
    run: async (load) => {
      const args = [program, JSON.stringify(load)];
      return JSON.parse(await workspace.run({ command: process.execPath, args })) as LoadResult;
    },
  };
}
