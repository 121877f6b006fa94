/** Runs the program as a process of its own, as a shell would. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';

export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export const mainPath = join(import.meta.dirname, '..', '..', 'src', 'main.ts');

/** Resolves when the process has ended, whatever its exit code. The environment is `env` and nothing else. */
export function runCli(args: readonly string[], env: Record<string, string> = {}, cwd?: string): Promise<Run> {
  return new Promise((resolve, reject) => {
    const options = { env, cwd, encoding: 'utf8', timeout: 20_000 } as const;
    execFile(process.execPath, [mainPath, ...args], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === 'number') resolve({ code, stdout, stderr });
      else reject(new Error(`Cannot run ${args.join(' ')}`, { cause: error }));
    });
  });
}
