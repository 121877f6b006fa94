/** Runs a command of the product under strace and returns the recording of its calls, for as long as `work` takes. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type ServiceOptions, type ServiceProcess, spawnService } from '../../crash/service-process.ts';
import { readBefore, type Recording, recordingFlags, toRecording } from './recording.ts';

/** Longest time that strace takes to write its last line, in milliseconds. */
const flushTimeoutMs = 120_000;

/**
 * @param root folder below which everything is recorded; the data folder of the command is `root/data`.
 * @param traceFile outside of it.
 */
export async function record(
  root: string,
  traceFile: string,
  options: Partial<ServiceOptions>,
  work: (running: ServiceProcess) => Promise<void>,
): Promise<Recording> {
  const before = readBefore(root);
  const running = spawnService({
    folder: join(root, 'data'),
    ...options,
    // As a daemon it is no parent of the command, which can then be signalled.
    wrapper: ['strace', '--daemonize', ...recordingFlags, `--output=${traceFile}`],
  });
  try {
    await work(running);
  } finally {
    running.kill('SIGKILL');
    await running.exited;
  }
  for (let waitedMs = 0; waitedMs < flushTimeoutMs; waitedMs += 50) {
    const trace = await readFile(traceFile, 'utf8');
    // Its last line, about the main thread.
    if (new RegExp(`^${running.pid} +\\+\\+\\+ `, 'm').test(trace)) return toRecording(root, before, trace);
    await wait(50);
  }
  throw new Error('strace did not end');
}
