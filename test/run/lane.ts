/** One process of `npm test`: runs the files that run.ts sends, one after another, each as a test. */
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanUpAll, collectCleanups } from './after-all-files.ts';
import { usedCpuSeconds } from './used-cpu-seconds.ts';

/** What a lane tells run.ts. */
export type FromLane =
  | { readonly kind: 'next'; readonly isFirst: boolean }
  | { readonly kind: 'began'; readonly file: string }
  | { readonly kind: 'ended'; readonly file: string; readonly cpuSeconds: number }
  | { readonly kind: 'testing' | 'finished'; readonly name: string }
  | { readonly kind: 'tested'; readonly result: 'passed' | 'failed' | 'skipped' }
  | { readonly kind: 'text'; readonly text: string };

function send(message: FromLane): void {
  process.send?.(message);
}

collectCleanups();
// A test may wait for something that does not keep its process alive.
process.channel?.ref();
for (let isFirst = true; ; isFirst = false) {
  const answer = new Promise<{ files: readonly string[] }>((resolve) => process.once('message', resolve));
  send({ kind: 'next', isFirst });
  const { files } = await answer;
  if (files.length === 0) break;
  for (const file of files) {
    const before = usedCpuSeconds();
    send({ kind: 'began', file });
    await test(file, () => import(join(process.cwd(), file)));
    send({ kind: 'ended', file, cpuSeconds: usedCpuSeconds() - before });
  }
}
await cleanUpAll();
process.channel?.unref();
