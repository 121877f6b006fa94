/**
 * Creates a data folder with many plants in a child process, to keep its memory out of this one.
 */
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
