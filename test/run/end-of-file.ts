/** Loaded into the process of each test file: reports its CPU time, and ends it if it does not end by itself. */
import { after } from 'node:test';
import { isMainThread } from 'node:worker_threads';
import { cpuPrefix, usedCpuSeconds } from './used-cpu-seconds.ts';

/** How long what is open after the last test may keep the process alive, in milliseconds. */
const lingerMsMax = 60_000;

// Processes and threads that a test starts may load this file, too.
if (isMainThread && process.argv[1]?.endsWith('.test.ts') === true)
  after((t) => {
    t.diagnostic(`${cpuPrefix}${usedCpuSeconds()}`);
    setTimeout(() => {
      console.error(`After its tests, this keeps the process alive: ${process.getActiveResourcesInfo().join(', ')}`);
      process.exit(1);
    }, lingerMsMax).unref();
  });
