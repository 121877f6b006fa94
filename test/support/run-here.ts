/** Runs the program in the process of the test, with a world that the test gives it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { CommandContext } from '../../src/cli/command-context.ts';
import { runProgram } from '../../src/cli/program.ts';

const packagePath = join(import.meta.dirname, '..', '..', 'package.json');
const { version } = JSON.parse(readFileSync(packagePath, 'utf8')) as { version: string };

/** What a command gets; the rest is empty. */
export type World = Pick<CommandContext, 'stdout' | 'stderr' | 'env'> & Partial<CommandContext>;

/** Resolves to the exit code. */
export async function runHere(args: readonly string[], world: World): Promise<number> {
  let exitCode = 0;
  await runProgram(
    args,
    toContext(world, (code) => (exitCode = code === 0 ? exitCode : code)),
  );
  return exitCode;
}

export function toContext(world: World, setExitCode: CommandContext['setExitCode']): CommandContext {
  return {
    stdin: Readable.from([]),
    cwd: process.cwd(),
    version,
    now: Date.now,
    setExitCode,
    exitNow: (code) => {
      throw new Error(`The command ended its process with ${code}`);
    },
    onStopSignal: () => undefined,
    // Such an error fails the test that runs.
    onCrash: () => undefined,
    ...world,
  };
}
