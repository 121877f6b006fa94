/** Files of random GET requests for the plants of the large store. */
import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { Bench } from './context.ts';
import { idAt } from './plants.ts';

/** Requests per file; longer loads repeat it. */
const lineCount = 50_000;

/** Writes a file of requests made by `toLine`. */
export function writeLines(bench: Bench, name: string, toLine: (number: number) => string): string {
  const path = bench.workspace.makePath(name);
  writeFileSync(path, Array.from({ length: lineCount }, (_, number) => `${toLine(number)}\n`).join(''));
  return path;
}

/** Returns the id of a random plant of the large store. */
export function randomStoredId(bench: Bench): bigint {
  return idAt(randomInt(bench.options.rows));
}
