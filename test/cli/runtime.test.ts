/** Which Node runs the program, and what an older one is told. The oldest one itself runs in test/package. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { versions } from 'node:process';
import { describe, it } from 'node:test';
import { findRuntimeProblem } from '../../src/cli/runtime.ts';

describe('findRuntimeProblem()', () => {
  const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    engines: { node: string };
  };
  const oldest = /^\^(\S+) \|\| >=26\.0\.0$/.exec(engines.node)?.[1] ?? 'no version';

  for (const [node, sqlite, problem] of [
    [versions.node, versions['sqlite'], undefined],
    [oldest, '3.51.3', undefined],
    ['26.10.0', '3.53.4', undefined],
    ['30.0.0', '4.0.0', undefined],
    ['24.15.0', '3.51.3', `Cannot run on Node 24.15.0: install Node ${oldest}, a later 24, or 26 or newer`],
    ['24.9.0', '3.50.4', `Cannot run on Node 24.9.0: install Node ${oldest}, a later 24, or 26 or newer`],
    ['20.19.0', undefined, `Cannot run on Node 20.19.0: install Node ${oldest}, a later 24, or 26 or newer`],
    ['25.9.0', '3.51.3', `Cannot run on Node 25.9.0: install Node ${oldest}, a later 24, or 26 or newer`],
    ['26.0.0', '3.50.4', 'Cannot run on Node 26.0.0: its SQLite is 3.50.4, and must be 3.51.0 or newer'],
    ['26.0.0', undefined, 'Cannot run on Node 26.0.0: its SQLite is missing, and must be 3.51.0 or newer'],
  ] as const) {
    it(`says of Node ${node} with SQLite ${sqlite ?? 'missing'}: ${problem ?? 'nothing'}`, () => {
      assert.equal(findRuntimeProblem({ node, sqlite }), problem);
    });
  }
});

describe('scripts/require-node.js', () => {
  it('ends with one line on a Node that does not read TypeScript, which npm start would show as a stack trace', () => {
    const script = join(import.meta.dirname, '..', '..', 'scripts', 'require-node.js');
    for (const [flags, status, line] of [
      [[], 0, /^$/],
      [
        ['--no-strip-types'],
        1,
        /^Cannot run on Node [^\n]* Run "npm rebuild node --ignore-scripts=false", or install Node [^\n]*\n$/,
      ],
    ] as const) {
      const run = spawnSync(process.execPath, [...flags, script], { encoding: 'utf8', timeout: 60_000 });
      assert.equal(run.status, status);
      assert.match(run.stderr, line);
    }
  });
});
