/** A machine that has only what `.ci/run` installs can run all tests. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { packageOf } from './has-tool.ts';

const root = join(import.meta.dirname, '..', '..');
/** Tools in packages that each Debian has. */
const everywhere = new Set([
  'bash',
  'mkfifo',
  'mount',
  'nice',
  'prlimit',
  'script',
  'setpriv',
  'sh',
  'umount',
  'unshare',
  'which',
]);
/** Tools of this project. */
const own = new Set(['node', 'npm', 'npx']);

it('.ci/run installs each program that a test asks for, and no other', () => {
  const [, loop = ''] = /^for tool in ([^;]+); do$/m.exec(readFileSync(join(root, '.ci', 'run'), 'utf8')) ?? [];
  const installed = loop.split(/[\s\\]+/).map((each) => each.split(':'));
  // wrk is for the benchmark.
  const wanted = { ...packageOf, wrk: 'wrk' };
  assert.deepEqual(Object.fromEntries(installed.map(([tool = '', of = tool]) => [tool, of])), wanted);
});

it('each program that a test starts by its name is among them, or everywhere', () => {
  const started = new Set<string>();
  const texts: string[] = [];
  for (const path of globSync('test/**/*.ts', { cwd: root })) {
    const text = readFileSync(join(root, path), 'utf8');
    if (!path.endsWith('has-tool.ts')) texts.push(text);
    if (!text.includes("from 'node:child_process'")) continue;
    for (const [, name = ''] of text.matchAll(/\b(?:spawn|spawnSync|execFile|execFileSync)\(\s*'([^'/]+)'/g))
      started.add(name);
  }
  const unknown = [...started].filter((name) => !(name in packageOf) && !everywhere.has(name) && !own.has(name));
  assert.deepEqual(unknown, []);
  const unused = Object.keys(packageOf).filter((name) => !texts.some((text) => new RegExp(`\\b${name}\\b`).test(text)));
  assert.deepEqual(unused, []);
});
