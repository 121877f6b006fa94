/** Resource usage of a process from /proc; absent on systems without it. */
import { readFileSync } from 'node:fs';

export interface CpuSeconds {
  readonly all: number;
  /** CPU time of the main thread alone. */
  readonly main: number;
}

/** Clock ticks per second in /proc (proc(5)): the same on every Linux. */
const ticks = 100;
/** Memory sampling interval, in milliseconds. */
const lookMs = 50;

export function readCpu(pid: number): CpuSeconds | undefined {
  const all = readTimes(`/proc/${pid}/stat`);
  const main = readTimes(`/proc/${pid}/task/${pid}/stat`);
  return all === undefined || main === undefined ? undefined : { all, main };
}

/** Samples the resident memory of a process, in MiB. */
export class MemoryWatch {
  readonly looks: number[] = [];

  async during<Result>(pid: number, work: () => Promise<Result>): Promise<Result> {
    const timer = setInterval(() => {
      const resident = readResident(pid);
      if (resident !== undefined) this.looks.push(resident);
    }, lookMs);
    try {
      return await work();
    } finally {
      clearInterval(timer);
    }
  }
}

function readTimes(path: string): number | undefined {
  const text = readText(path);
  if (text === undefined) return undefined;
  // The program's name in parentheses may contain spaces; user and system time are the 12th and
  // 13th field after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticks;
}

/** Returns the resident memory of a process, in MiB. */
export function readResident(pid: number): number | undefined {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readText(`/proc/${pid}/status`) ?? '')?.[1];
  return kib === undefined ? undefined : Number(kib) / 1024;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
