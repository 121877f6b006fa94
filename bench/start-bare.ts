/** Starts the bare server for comparison. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Captured } from './capture.ts';
import type { Server, Workspace } from './workspace.ts';

/** @param captured its response to every GET. */
export function startBare(workspace: Workspace, captured?: Captured): Promise<Server> {
  const args = [join(import.meta.dirname, 'bare-server.ts')];
  if (captured !== undefined) {
    const path = workspace.makePath('captured.json');
    writeFileSync(path, JSON.stringify(captured));
    args.push(path);
  }
  return workspace.start({ command: process.execPath, args }, /listening on (\d+)/);
}
