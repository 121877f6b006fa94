/** Logs when the process can open no more files: the system then closes new connections, and nothing else shows it. */
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import type { Log } from './log.ts';
import { StateLine } from './state-line.ts';

const intervalMs = 1_000;

/** Returns a function that ends it. */
export function watchFiles(log: Log): () => void {
  const exhausted = new StateLine(log, () => performance.now(), {
    began: 'Cannot open files: new connections are closed, and exports fail',
    ended: 'Files can be opened again',
  });
  const look = (): void => {
    try {
      closeSync(openSync(devNull, 'r'));
      exhausted.end();
    } catch (error) {
      exhausted.note({ error });
    }
  };
  const timer = setInterval(look, intervalMs).unref();
  return () => clearInterval(timer);
}
