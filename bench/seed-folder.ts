/** Makes a data folder that holds many plants, in a child, so that its memory is not that of the run. */
import { join } from 'node:path';
import type { Workspace } from './workspace.ts';

export async function seedFolder(
  workspace: Workspace,
  rows: number,
): Promise<{ readonly folder: string; readonly seconds: number }> {
  const folder = workspace.makeFolder('large');
  const startedAt = performance.now();
  const program = join(import.meta.dirname, 'seed.ts');
  await workspace.run({ command: process.execPath, args: [program, folder, String(rows)] });
  return { folder, seconds: (performance.now() - startedAt) / 1000 };
}
