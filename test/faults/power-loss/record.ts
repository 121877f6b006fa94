/** Runs a command of the product under strace and returns the recording of its calls, for as long as `work` takes. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ServiceOptions, type ServiceProcess, spawnService } from '../../crash/service-process.ts';
import { readBefore, type Recording, recordingFlags, toRecording } from './recording.ts';
import { until } from '../../support/until.ts';

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
    // As a daemon, strace is not the parent of the command, which can then be signalled.
    wrapper: ['strace', '--daemonize', ...recordingFlags, `--output=${traceFile}`],
  });
  try {
    await work(running);
  } finally {
    running.kill('SIGKILL');
    await running.exited;
  }
  // The last line of the trace is about the main thread.
  const last = new RegExp(`^${running.pid} +\\+\\+\\+ `, 'm');
  const trace = await until(async () => {
    const text = await readFile(traceFile, 'utf8');
    return last.test(text) && text;
  }, 'strace ends');
  return toRecording(root, before, trace);
}
