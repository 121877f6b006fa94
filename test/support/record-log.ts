/** A log in the process of a test. */
import { type Log, type LogOptions, openLog } from '../../src/observe/log.ts';
import type { LogLine } from './service-run.ts';

/** The lines are there as soon as they are logged. */
export async function recordLog(level: LogOptions['level']): Promise<{ readonly log: Log; readonly lines: LogLine[] }> {
  const lines: LogLine[] = [];
  const write = (text: string): unknown => lines.push(JSON.parse(text) as LogLine);
  return { log: await openLog({ level, format: 'json', destination: { write } }), lines };
}
