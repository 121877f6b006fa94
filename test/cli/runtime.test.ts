/** Which Node runs the program, and what an older one is told. The oldest one itself runs in test/package. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { versions } from 'node:process';
import { describe, it } from 'node:test';
import { toInstallCommand } from '../../src/cli/output/install-command.ts';
import { findRuntimeProblem } from '../../src/cli/runtime.ts';
import { toShellWord } from '../../src/system/to-shell-word.ts';
import { makeFolder } from '../support/clean-up.ts';

const root = join(import.meta.dirname, '..', '..');
const { engines, scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  engines: { node: string };
  scripts: Record<string, string>;
};

describe('findRuntimeProblem()', () => {
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
    const script = join(root, 'scripts', 'require-node.js');
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

  it('says what to run in a new clone, and what where npm has left out the development dependencies', async (t) => {
    const clone = await makeFolder(t);
    for (const file of ['package.json', 'scripts/require-node.js']) cpSync(join(root, file), join(clone, file));
    const args = ['--no-strip-types', join(clone, 'scripts', 'require-node.js')];
    const run = (): string => spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 }).stderr;
    assert.match(run(), /^Cannot run on Node [^\n]*: run "npm ci" first, which installs [^\n]*\n$/);
    mkdirSync(join(clone, 'node_modules'));
    assert.match(run(), /^Cannot run on Node [^\n]* Run "npm ci --include=dev", or install Node [^\n]*\n$/);
  });
});

describe('toInstallCommand()', () => {
  it('installs the development dependencies of a clone, which have the optional packages', async () => {
    assert.equal(await toInstallCommand('@opentelemetry/'), `npm ci --include=dev --prefix ${toShellWord(`${root}/`)}`);
  });

  for (const [folder, command] of [
    ['/app/node_modules/plant-store/', 'npm install --prefix /app'],
    ['/opt/store/lib/node_modules/plant-store/', 'npm install --global --prefix /opt/store'],
    ['/app/node_modules/.pnpm/plant-store@1.0.0/node_modules/plant-store/', 'pnpm add --dir /app'],
    ['/app/.yarn/cache/plant-store-0f3c.zip/node_modules/plant-store/', 'yarn add'],
  ] as const)
    it(`uses the package manager that has installed ${folder}`, async () => {
      const found = await toInstallCommand('@modelcontextprotocol/', folder);
      assert.match(found, /@2\.4\.x$/);
      assert.equal(found.replace(/ @.*/, ''), command);
    });
});

describe('scripts/use-compile-cache.js', () => {
  const [, flags = 'no command'] = /^node (.*) src\/main\.ts$/.exec(scripts['plant-store'] ?? '') ?? [];

  it("is loaded by all of npm's scripts that run the program", () => {
    for (const name of ['start', 'demo']) assert.ok(scripts[name]?.includes(`${flags} src/main.ts `), name);
  });

  it('spares all starts but the first the compiler of TypeScript', async (t) => {
    const print =
      "process.on('exit', () => console.log(process.moduleLoadList.filter((each) => each.includes('amaro'))))";
    const args = [`--import=data:text/javascript,${print}`, ...flags.split(' '), 'src/main.ts', '--version'];
    const { NODE_COMPILE_CACHE: _of, ...others } = process.env;
    const env = { ...others, TMPDIR: await makeFolder(t) };
    const run = (): string => spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' }).stdout;
    assert.match(run(), /amaro/);
    assert.match(run(), /\n\[\]\n$/);
  });
});
