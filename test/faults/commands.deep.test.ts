/** What backup, restore, check and token leave when any one of their system calls fails. Each error is injected by strace. */
import assert from 'node:assert/strict';
import { cp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { backupStore } from '../../src/store/maintenance.ts';
import { makeRandom } from '../crash/random.ts';
import { type Exit, spawnService } from '../crash/service-process.ts';
import { makeFolder } from '../support/clean-up.ts';
import { isLong, seed } from './extent.ts';
import { checkRestored, compare, compareFile, makePlants, openAndCheck, storePlants } from './stored-plants.ts';
import { canTrace, toWrapper } from './system-calls.ts';

const timeout = isLong ? 1_800_000 : 300_000;
/** Runs of each command in the short form; the long form takes every call. */
const runsShort = 3;
/** No command makes more calls of one kind than this in the long form's walk. */
const callsMax = 40;

const [earlier, restored, kept] = [makePlants(30, 'earlier'), makePlants(50, 'restored'), makePlants(300, 'kept')];

const kinds = [
  ['fsync,fdatasync', 'EIO'],
  ['pwrite64,write', 'EIO'],
  ['pwrite64,write', 'ENOSPC'],
  ['pread64,read', 'EIO'],
  ['ftruncate,fallocate', 'EIO'],
  ['rename,renameat,renameat2,link,linkat', 'EIO'],
  ['rename,renameat,renameat2,link,linkat', 'ENOSPC'],
  ['unlink,unlinkat', 'EIO'],
  ['copy_file_range,sendfile', 'ENOSPC'],
  ['openat', 'EMFILE'],
  ['openat', 'EIO'],
] as const;

const root = await makeFolder({ after });
before(async () => {
  const original = join(root, 'original');
  await storePlants(join(original, 'data'), earlier);
  await backupStore({ folder: join(original, 'data') }, join(original, 'backup.db'));
  await storePlants(join(original, 'data'), restored);
  await backupStore({ folder: join(original, 'data') }, join(original, 'restore.db'));
  await storePlants(join(original, 'data'), kept, { isKilled: true });
});

/** strace needs the names of all files before the command starts. */
const uuid = '00000000-0000-4000-8000-000000000000';
const copyName = `plants.copy-${uuid}`;
const preload = `import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
crypto.randomUUID = () => '${uuid}';
syncBuiltinESMExports();`;
const withFixedCopyName = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` };

interface Command {
  readonly args: (folder: string) => readonly string[];
  /** What is wrong after the command has ended with this code. */
  readonly check: (folder: string, code: number | null) => Promise<readonly string[]>;
}

const commands: Readonly<Record<string, Command>> = {
  backup: {
    args: (folder) => ['backup', join(folder, 'backup.db'), '--data-dir', join(folder, 'data')],
    check: async (folder, code) => [
      ...(await compareFile(join(folder, 'backup.db'), kept, ...(code === 0 ? [] : [earlier]))),
      ...(await openAndCheck(join(folder, 'data'))),
      ...(await compare(join(folder, 'data'), kept)),
    ],
  },
  'restore --force': {
    args: (folder) => ['restore', join(folder, 'restore.db'), '--force', '--data-dir', join(folder, 'data')],
    check: async (folder, code) => {
      const data = join(folder, 'data');
      return checkRestored(data, await readdir(data), { restored, kept, isDone: code === 0 });
    },
  },
  check: {
    args: (folder) => ['check', '--data-dir', join(folder, 'data')],
    check: async (folder) => [
      ...(await openAndCheck(join(folder, 'data'))),
      ...(await compare(join(folder, 'data'), kept)),
    ],
  },
  'token create': {
    args: (folder) => ['token', 'create', '--name', 'x', '--scope', 'plants:read', '--data-dir', join(folder, 'data')],
    check: async (folder) => [
      ...(await openAndCheck(join(folder, 'data'))),
      ...(await compare(join(folder, 'data'), kept)),
    ],
  },
};

for (const [name, command] of Object.entries(commands)) {
  describe(name, () => {
    it(`loses no plants when a system call fails (SEED=${seed})`, { timeout }, async (t) => {
      if (!canTrace(t)) return;
      const failures = { count: 0 };
      const findings: string[] = [];
      for (const [calls, error, numbers] of planRuns()) {
        for (const nth of numbers) {
          const what = `${calls} number ${nth} fails with ${error}`;
          const { exit, found, isInjected } = await runWith(command, calls, error, nth);
          // The command makes fewer of these calls.
          if (!isInjected) break;
          failures.count += 1;
          findings.push(...found.map((line) => `${what}: exit ${exit.code}: ${line} (${exit.output.trim()})`));
          if (exit.code !== 0 && exit.output.trim() === '') findings.push(`${what}: no message`);
          if (/^\s+at /m.test(exit.output)) findings.push(`${what}: a stack: ${exit.output}`);
        }
      }
      t.diagnostic(`${failures.count} calls failed`);
      assert.deepEqual(findings, []);
    });
  });
}

type Plan = readonly [calls: string, error: string, numbers: readonly number[]];

/** Which calls fail, one in each run. */
function planRuns(): Plan[] {
  const every = Array.from({ length: callsMax }, (_, index) => index + 1);
  if (isLong) return kinds.map(([calls, error]): Plan => [calls, error, every]);
  const random = makeRandom(seed);
  return Array.from({ length: runsShort }, (): Plan => {
    const [calls, error] = random.pick<(typeof kinds)[number]>(kinds);
    return [calls, error, [random.integer(1, 4)]];
  });
}

/** Runs the command on a copy of the original folder, in which the nth of these calls on the files of the store fails. */
async function runWith(
  command: Command,
  calls: string,
  error: string,
  nth: number,
): Promise<{ exit: Exit; found: readonly string[]; isInjected: boolean }> {
  const folder = join(root, 'run');
  await cp(join(root, 'original'), folder, { recursive: true });
  try {
    const data = join(folder, 'data');
    const names = ['plants.db', 'plants.db.part', copyName].map((each) => join(data, each));
    const files = [...names, ...['backup.db', copyName, 'restore.db'].map((each) => join(folder, each))];
    const paths = [data, ...files.flatMap((each) => [each, `${each}-wal`, `${each}-shm`, `${each}-journal`])];
    const traceFile = join(root, 'trace');
    const wrapper = toWrapper(
      { calls: calls.split(','), paths, effect: { error }, from: nth, isOnce: true },
      traceFile,
    );
    const running = spawnService({ folder: data, command: command.args(folder), wrapper, env: withFixedCopyName });
    const exit = await running.exited;
    const isInjected = (await readFile(traceFile, 'utf8')).includes('(INJECTED)');
    return {
      exit,
      isInjected,
      found: await command.check(folder, exit.code).catch((cause: unknown) => [String(cause)]),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
