/** A start of the service, on the same folder each time: CPU time until it is ready, and its idle memory. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from './context.ts';
import { readCpu, readResident } from './process-usage.ts';
import { median } from './report.ts';
import { startService } from './service.ts';

const part = 'start';
/** A start takes a tenth of a turn of the other parts. */
const startsPerTurn = 3;
/** Time after which the memory of a started service is read, in milliseconds. */
const idleMs = 2_000;
/** What it should be, in MiB. */
const memoryMax = 105;

interface Started {
  readonly name: string;
  readonly root: string | undefined;
  readonly folder: string;
  readonly cpuMs: number[];
  readonly memory: number[];
}

export async function runStart({ options, report, workspace, isLate }: Bench): Promise<void> {
  const toSide = (name: string, root?: string): Started => ({
    name,
    root,
    folder: workspace.makePath('data'),
    cpuMs: [],
    memory: [],
  });
  const { against } = options;
  const base = against === undefined ? [] : [toSide('the other checkout', against)];
  const sides = [...base, toSide('the service')];
  // The first start of each makes its store, and fills the compile cache.
  for (let turn = -1; turn < options.turns * startsPerTurn && (turn < 1 || !isLate()); turn += 1) {
    for (const { root, folder, cpuMs, memory } of sides) {
      const { pid, stop } = await startService(workspace, { folder, ...(root === undefined ? {} : { root }) });
      const cpu = readCpu(pid)?.all ?? NaN;
      await sleep(idleMs);
      if (turn >= 0) {
        cpuMs.push(cpu * 1_000);
        memory.push(readResident(pid) ?? NaN);
      }
      await stop();
    }
  }
  for (const { name, cpuMs, memory } of sides) {
    const note = `least ${Math.min(...cpuMs)} ms of ${cpuMs.length} starts`;
    report.add({ part, name: `${name}: CPU time`, value: median(cpuMs), unit: 'ms', note });
    const goal = name === 'the service' ? { goal: { atMost: memoryMax } } : {};
    report.add({ part, name: `${name}: idle memory`, value: median(memory), unit: 'MiB', ...goal });
  }
  const [first, second] = sides;
  if (first === undefined || second === undefined) return;
  const value = median(second.cpuMs) / median(first.cpuMs);
  report.add({ part, name: 'ratio of CPU time', value, unit: '', goal: { atMost: 0.8 } });
}
