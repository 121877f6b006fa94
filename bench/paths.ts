/** Files of GET requests at random, and the plants of the large store. */
import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { Bench } from './context.ts';
import { idAt } from './plants.ts';

/** Requests of one file; a load that needs more begins it again. */
const lineCount = 50_000;

/** A file of requests, each made by `toLine`. */
export function writeLines(bench: Bench, name: string, toLine: (number: number) => string): string {
  const path = bench.workspace.makePath(name);
  writeFileSync(path, Array.from({ length: lineCount }, (_, number) => `${toLine(number)}\n`).join(''));
  return path;
}

/** The id of any plant that the large store was made with. */
export function randomStoredId(bench: Bench): bigint {
  return idAt(randomInt(bench.options.rows));
}
