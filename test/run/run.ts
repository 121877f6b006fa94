/**
 * `npm test` runs the fast tier, `npm run test:deep` the files `*.deep.test.ts`. Arguments after
 * `--` are parts of paths: only files that contain one of them run.
 *
 * Test files run one after another inside a few processes, because a process for each file costs
 * more than most files. lane.ts is such a process.
 */
import { fork } from 'node:child_process';
import { globSync } from 'node:fs';
import module from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { startKeeper } from '../store/postgres/servers.ts';
import type { FromLane } from './lane.ts';
import { usedCpuSeconds } from './used-cpu-seconds.ts';

/** A fast file waits, for disks and timers, about as long as it computes. A deep file may need all that the machine has. */
const lanesPerCore = { fast: 2, deep: 1 };
/** Folders whose deep files share a process, and so a browser. */
const sharing = ['test/console/', 'test/docs-page/'];
/** A lane hangs that works on a test for longer, or waits between files, in milliseconds. */
const testMsMax = { fast: 180_000, deep: 900_000 };
const betweenMsMax = 60_000;
/** The last lines name the files above this CPU time, in seconds. */
const cheapSecondsMax = { fast: 5, deep: 20 };

interface Cost {
  readonly file: string;
  readonly cpuSeconds: number;
}

const isDeep = process.argv[2] === '--deep';
const wanted = process.argv.slice(isDeep ? 3 : 2);
const startedAt = performance.now();
const counts = { passed: 0, failed: 0, skipped: 0 };
const costs: Cost[] = [];

const jobs = isDeep ? toDeepJobs(findFiles()) : findFiles().map((file) => [file]);
const { directory } = module.enableCompileCache();
if (directory !== undefined) process.env['NODE_COMPILE_CACHE'] ??= directory;
const keeper = await startKeeper();
await Promise.all(Array.from({ length: availableParallelism() * lanesPerCore[isDeep ? 'deep' : 'fast'] }, runJobs));
await keeper.end();
report();

function findFiles(): string[] {
  const files = globSync('test/**/*.test.ts').sort();
  return files.filter(
    (file) =>
      file.endsWith('.deep.test.ts') === isDeep && (wanted.length === 0 || wanted.some((part) => file.includes(part))),
  );
}

/** A deep file measures its process or kills others: it gets a process of its own. */
function toDeepJobs(files: readonly string[]): string[][] {
  const isSharing = (file: string): boolean => sharing.some((folder) => file.startsWith(folder));
  const together = files.filter(isSharing);
  return [
    ...(together.length > 0 ? [together] : []),
    ...files.filter((file) => !isSharing(file)).map((file) => [file]),
  ];
}

async function runJobs(): Promise<void> {
  while (jobs.length > 0) await runLane();
}

/** Runs jobs in one process until none is left; a deep job ends its process. */
function runLane(): Promise<void> {
  const lane = fork(join(import.meta.dirname, 'lane.ts'), {
    execArgv: ['--test-reporter', join(import.meta.dirname, 'lane-reporter.ts')],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  let left: readonly string[] = [];
  let current: string | undefined;
  /** Names of tests and the suites around them. */
  const running: string[] = [];
  let hang: NodeJS.Timeout | undefined;
  let isHanging = false;
  const wait = (): void => {
    clearTimeout(hang);
    const msMax = current === undefined ? betweenMsMax : testMsMax[isDeep ? 'deep' : 'fast'];
    hang = setTimeout(() => (isHanging = lane.kill('SIGKILL')), msMax);
  };
  wait();
  lane.on('message', (message: FromLane) => {
    switch (message.kind) {
      case 'next':
        left = isDeep && !message.isFirst ? [] : (jobs.shift() ?? []);
        lane.send({ files: left });
        break;
      case 'began':
        current = message.file;
        left = left.slice(1);
        wait();
        break;
      case 'testing':
        running.push(message.name);
        wait();
        break;
      case 'finished':
        if (running.includes(message.name)) running.splice(running.lastIndexOf(message.name), 1);
        wait();
        break;
      case 'ended':
        current = undefined;
        wait();
        costs.push(message);
        process.stdout.write('.');
        break;
      case 'text':
        process.stdout.write(message.text);
        break;
      case 'tested':
        counts[message.result] += 1;
    }
  });
  return new Promise((resolve) => {
    lane.on('exit', (code, signal) => {
      clearTimeout(hang);
      // 1 is the code of a lane whose tests failed, which have been reported.
      const place = current === undefined ? 'after its files' : `in ${current}`;
      const end = isHanging ? 'hangs, so it was killed' : `ended with ${code ?? signal ?? ''}`;
      const within = running.map((name) => ` > ${name}`).join('');
      if (current !== undefined || (code !== 0 && code !== 1)) fail(`The process ${end} ${place}${within}`);
      // Another process runs the other files of its job.
      if (current !== undefined && left.length > 0) jobs.unshift([...left]);
      resolve();
    });
  });
}

function fail(text: string): void {
  counts.failed += 1;
  process.stdout.write(`\n✖ ${text}\n`);
}

/** The last lines: the files that cost most, the time, and the counts. */
function report(): void {
  console.log('');
  for (const { cpuSeconds, file } of costs.toSorted((a, b) => b.cpuSeconds - a.cpuSeconds)) {
    if (cpuSeconds > cheapSecondsMax[isDeep ? 'deep' : 'fast'])
      console.log(`${cpuSeconds.toFixed(1).padStart(6)} s of CPU  ${file}`);
  }
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  console.log(`${costs.length} files took ${seconds} s and ${Math.round(usedCpuSeconds())} s of CPU.`);
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  if (counts.failed > 0 || counts.passed === 0) process.exitCode = 1;
}
