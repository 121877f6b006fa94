/**
 * `npm test` runs the fast tier, `npm run test:deep` the files `*.deep.test.ts`, each in a process of its own.
 * Arguments after `--` are parts of paths: only files that contain one of them run. `--shuffle` runs the files
 * in the order of a seed: that of SEED, or a new one.
 */
import { createHash, randomInt } from 'node:crypto';
import { globSync } from 'node:fs';
import module from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { startKeeper } from '../store/postgres/servers.ts';
import { report } from './report.ts';

const isDeep = process.argv[2] === '--deep';
const args = process.argv.slice(isDeep ? 3 : 2);
const isShuffled = args.includes('--shuffle');
const wanted = args.filter((arg) => arg !== '--shuffle');
/** A fast file waits, for disks and timers, about as long as it computes. A deep file may need all that the machine has. */
const filesPerCore = isDeep ? 1 : 2;
/** A test, or a suite, that takes longer has failed, in milliseconds. */
const timeout = isDeep ? 900_000 : 180_000;
/** After this long without any news of a test, a process does not even react to its timers. */
const silenceMsMax = timeout + 60_000;

const { directory } = module.enableCompileCache();
if (directory !== undefined) process.env['NODE_COMPILE_CACHE'] ??= directory;
const keeper = await startKeeper();
const abort = new AbortController();
const silence = setTimeout(() => abort.abort(new Error('No test has begun or ended for minutes')), silenceMsMax);
const events = run({
  files: findFiles(),
  concurrency: availableParallelism() * filesPerCore,
  execArgv: ['--import', join(import.meta.dirname, 'end-of-file.ts')],
  timeout,
  signal: abort.signal,
});
const isGreen = await report(events, { onEvent: () => silence.refresh(), cheapSecondsMax: isDeep ? 20 : 5 });
clearTimeout(silence);
await keeper.end();
process.exitCode = isGreen ? 0 : 1;

function findFiles(): string[] {
  const files = globSync('test/**/*.test.ts').filter(
    (file) =>
      file.endsWith('.deep.test.ts') === isDeep && (wanted.length === 0 || wanted.some((part) => file.includes(part))),
  );
  if (!isShuffled) return files.sort();
  const seed = process.env['SEED'] ?? String(randomInt(2 ** 32));
  console.log(`The files run in the order of SEED=${seed}.`);
  const place = (file: string): string => createHash('sha256').update(`${seed} ${file}`).digest('hex');
  return files.sort((a, b) => (place(a) < place(b) ? -1 : 1));
}
