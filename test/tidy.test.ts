/** Checks the source tree against the tables in ARCHITECTURE.md and the rules of form, and that each rule can fail. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { findViolations } from './tidy/find-violations.ts';
import { parseOrderTable, parseModuleTable } from './tidy/module-table.ts';

const root = join(import.meta.dirname, '..');
const architecture = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
const modules = parseModuleTable(architecture);
const orders = parseOrderTable(architecture);

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
};
const publicFiles = new Set(
  Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : [entry.default.replace(/^\.\/dist\/(.*)\.js$/, 'src/$1.ts')],
  ),
);

/** Files that may exceed 250 lines, with the reason. */
const longFiles = new Map<string, string>([
  ['src/client/client.ts', 'One class: a method for each operation; what they do is in other files.'],
  ['src/config/options.ts', 'A table of one entry an option; there is nothing to split it by.'],
  ['src/domain/error-registry.ts', 'A table of one entry an error; there is nothing to split it by.'],
  ['src/domain/schemas.ts', 'Generated: one type a schema and an operation.'],
]);

describe('the tree', () => {
  it('is tidy', () => {
    const files = readTree();
    assert.ok(files.has('src/domain/store.ts'), 'the walk found the sources');
    assert.deepEqual(findViolations({ files, modules, orders, publicFiles, longFiles }), []);
  });
});

describe('the styles', () => {
  it('use only weights of letters that fonts with a few files have: between them, browsers choose differently', () => {
    const text = listFiles('console', /\.css$/).map((path) => readFileSync(join(root, path), 'utf8'));
    const weights = [...text.join('').matchAll(/font(?:-weight)?: (\d+)/g)].map(([, weight]) => weight);
    assert.deepEqual([...new Set(weights)].sort(), ['400', '500', '600']);
  });

  it('use only custom properties that have a definition', () => {
    const text = listFiles('console', /\.(?:css|html|tsx?)$/)
      .map((path) => readFileSync(join(root, path), 'utf8'))
      .join('\n');
    const find = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = '']) => name);
    const defined = new Set(find(/(--[\w-]+)'?:/g));
    // The end of a name may be computed, as in `var(--dot-${color})`.
    const used = find(/var\((--[\w-]+)(?![\w${-])/g);
    assert.ok(used.includes('--ink'), 'the styles were found');
    assert.deepEqual([...new Set(used)].filter((name) => !defined.has(name)).sort(), []);
  });
});

describe('parseModuleTable()', () => {
  it('parses each kind of cell', () => {
    assert.deepEqual([...(modules.get('domain')?.mayImport ?? ['none'])], []);
    assert.equal(modules.get('domain')?.builtinsAllowed, false);
    assert.equal(modules.get('domain')?.packagesAllowed, false);
    assert.equal(modules.get('client')?.mayImport.has('domain'), true);
    assert.equal(modules.get('client')?.builtinsAllowed, false);
    assert.equal(modules.get('http')?.mayImport.has('contract'), true);
    assert.equal(modules.get('http')?.mayImport.has('store'), false);
    assert.equal(modules.get('cli')?.mayImport.has('http'), true);
    assert.equal(modules.get('cli')?.mayImport.has('main'), false);
  });

  const head = '| module | may import | never |\n| --- | --- | --- |\n';
  for (const [about, text] of [
    ['a page without the table', '# Architecture\n'],
    ['a name that is no module', `${head}| The domain | nothing | |\n`],
    ['a cell in free words', `${head}| \`domain\` | whatever it likes | |\n`],
    ['a module without a row', `${head}| \`http\` | \`domain\` | |\n`],
    ['a row without its last cell', `${head}| \`http\` | nothing`],
  ] as const) {
    it(`rejects ${about}`, () => {
      assert.throws(() => parseModuleTable(text), /^Error: Cannot read module table: /);
    });
  }
});

describe('parseOrderTable()', () => {
  it('parses groups from the top down', () => {
    assert.deepEqual(orders.get('http')?.[0], ['server']);
    assert.deepEqual(orders.get('http')?.at(-1), ['wire']);
    assert.deepEqual(orders.get('store')?.at(-1), ['*']);
  });

  it('rejects a page without the table, and a row in free text', () => {
    assert.throws(() => parseOrderTable('# Architecture\n'), /^Error: Cannot read order table: /);
    assert.throws(() => parseOrderTable('| inside | order |\n| --- | --- |\n| http | anything |\n'), /Cannot read/);
  });
});

describe('findViolations()', () => {
  /** Path, text, and the expected single violation; undefined if there is none. */
  const samples: [string, string, RegExp | undefined][] = [
    ['src/http/routes.ts', "import { errors } from '../domain/error-registry.ts';", undefined],
    ['src/http/routes.ts', "import type { Store } from '../domain/store.ts';", undefined],
    ['src/http/routes.ts', "import { openStore } from '../store/open-store.ts';", /http may not import store/],
    ['src/http/routes.ts', "import type { A } from '../store/open-store.ts';", /http may not import store/],
    ['src/http/routes.ts', "export const a = await import('../config/options.ts');", /http may not import config/],
    ['src/http/routes.ts', "export type A = import('../cli/serve.ts').A;", /http may not import cli/],
    ['src/http/routes.ts', "export { a } from '../cli/serve.ts';\nexport const b = 1;", /http may not import cli/],
    ['src/http/routes.ts', "import { a } from '../main.ts';", /http may not import main/],
    ['src/http/routes.ts', "import { a } from '../../test/a.ts';", /outside of all modules/],
    ['src/client/client.ts', "import type { Plant } from '../domain/schemas.ts';", undefined],
    ['src/client/client.ts', "import { request } from 'node:http';", /client uses nothing of Node/],
    ['src/domain/plant.ts', "import { randomUUID } from 'node:crypto';", /domain uses nothing of Node/],
    ['src/domain/plant.ts', "import { parse } from 'lossless-json';", /domain uses no packages/],
    ['src/json/parse-json.ts', "import { errors } from '../domain/error-registry.ts';", /json may not import domain/],
    ['src/json/parse-json.ts', "import { Buffer } from 'node:buffer';", /json uses nothing of Node/],
    ['src/store/sqlite/open.ts', "import { a } from '../postgres/open.ts';", /sqlite may not import postgres/],
    ['src/store/sqlite/open.ts', "import { a } from '../write-queue.ts';", undefined],
    ['src/store/write-queue.ts', "import { a } from './sqlite/open.ts';", /write-queue may not import sqlite/],
    ['src/store/write-queue.ts', "import { a } from './write.ts';", undefined],
    ['src/store/sqlite/tables/a.ts', "import { a } from '../threads/b.ts';", /tables may not import threads/],
    ['src/http/operations/a.ts', "import { a } from './b.ts';", undefined],
    ['src/http/operations/a.ts', "import { a } from '../wire/reply.ts';", undefined],
    ['src/http/wire/a.ts', "import { a } from '../steps/cors.ts';", /wire may not import steps/],
    ['src/http/steps/a.ts', "import { a } from '../pages/b.ts';", /steps may not import pages/],
    ['console/src/copy/a.ts', "import { a } from '../session/b.ts';", undefined],
    ['console/src/copy/a.ts', "import { a } from '../list/b.tsx';", /copy may not import list/],
    ['console/src/copy/a.ts', "import { a } from '../../../src/client/client.ts';", undefined],
    ['console/src/copy/a.ts', "import { a } from '../../../src/client/retry.ts';", /which the package does not export/],
    ['console/src/copy/a.ts', "import { a } from '../../../src/domain/plant.ts';", /console may not import domain/],
    ['src/http/attic/a.ts', "import { a } from '../wire/b.ts';", /the order of http lacks/],
    ['src/auth/hash.ts', "import { createHash } from 'crypto';", /without "node:"/],
    ['src/loose.ts', '', /is in no module/],
    ['src/attic/plants.ts', '', /is in no module/],
    ['src/auth/hash.ts', 'export default 1;', /default export/],
    ['console/src/list/row.ts', '/** A. */\nlet last = 0;', /variable outside of functions/],
    ['src/auth/hash.ts', 'export default function a() {}', /default export/],
    ['src/auth/hash.ts', 'const a = 1;\nexport { a as default };', /default export/],
    ['src/auth/hash.ts', "export * from './check.ts';", /only re-exports/],
    ['src/auth/hash.ts', 'export const a = process.env;', /touches the process/],
    ['src/auth/hash.ts', 'export const a = globalThis.process;', /touches the process/],
    ['src/auth/hash.ts', "import { env } from 'node:process';", /touches the process/],
    ['src/auth/hash.ts', "import { versions, env } from 'node:process';", /touches the process/],
    ['src/auth/hash.ts', "import process from 'node:process';", /touches the process/],
    ['src/auth/hash.ts', "import { versions } from 'node:process';", undefined],
    ['src/auth/hash.ts', 'export const a = (job: { process: () => void }) => job.process();', undefined],
    ['src/main.ts', 'process.exitCode = 2;', undefined],
    ['src/auth/hashToken.ts', '', /kebab-case/],
    ['src/auth/hash_token.ts', '', /kebab-case/],
    ['src/auth/hash-helper.ts', '', /the word "helper"/],
    ['src/auth/hash.ts', 'export interface PlantDto {}', /the word "Dto"/],
    ['src/auth/hash.ts', 'export class StoreImpl {}', /the word "Impl"/],
    ['src/auth/hash.ts', 'export const tokenManager = 1;', /the word "Manager"/],
    ['src/auth/hash.ts', 'export const identity = 1;', undefined],
    ['src/auth/hash.ts', '\n'.repeat(248), undefined],
    ['src/auth/hash.ts', '\n'.repeat(249), /has 251 lines, more than 250/],
    ['test/auth/hash.test.ts', `import { a } from '../../src/http/reply.ts';${'\n'.repeat(300)}`, undefined],
  ];

  for (const [path, text, expected] of samples) {
    it(`${expected === undefined ? 'accepts' : 'rejects'} ${path}: ${text.trim() || `${text.length} empty lines`}`, () => {
      const violations = findViolations({
        files: new Map([[path, `/** A sample. */\n${text}\n`]]),
        modules,
        orders,
        publicFiles,
        longFiles: new Map(),
      });
      if (expected === undefined) {
        assert.deepEqual(violations, []);
      } else {
        assert.equal(violations.length, 1, violations.join('\n'));
        assert.match(violations[0] ?? '', expected);
      }
    });
  }

  const find = (files: Record<string, string>, long: Record<string, string> = {}): string[] =>
    findViolations({
      files: new Map(Object.entries(files)),
      modules,
      orders,
      publicFiles,
      longFiles: new Map(Object.entries(long)),
    });

  it('rejects a file without a leading doc comment, and accepts one after a shebang', () => {
    assert.match(find({ 'src/auth/hash.ts': '// Hashes.\n' }).join(), /does not open with a doc comment/);
    assert.deepEqual(find({ 'src/main.ts': '#!/usr/bin/env node\n/** The edge. */\n' }), []);
  });

  it('rejects a package that two modules import', () => {
    const text = "/** A sample. */\nimport { a } from '@scope/thing/part';\n";
    assert.deepEqual(find({ 'src/auth/a.ts': text, 'src/auth/b.ts': text, 'scripts/c.ts': text }), []);
    const violations = find({ 'src/auth/a.ts': text, 'src/http/b.ts': text });
    assert.deepEqual(violations, ['@scope/thing is a package of one module, and is imported in auth, http']);
  });

  it('rejects a cycle, types included', () => {
    const violations = find({
      'src/auth/a.ts': "/** A sample. */\nimport { b } from './b.ts';\n",
      'src/auth/b.ts': "/** A sample. */\nimport { c } from './c.ts';\n",
      'src/auth/c.ts': "/** A sample. */\nimport type { B } from './b.ts';\n",
    });
    assert.deepEqual(violations, ['src/auth/b.ts imports itself: src/auth/b.ts -> src/auth/c.ts -> src/auth/b.ts']);
  });

  it('accepts a listed long file, and rejects an outdated listing', () => {
    const long = `/** A sample. */${'\n'.repeat(251)}`;
    const reason = { 'src/auth/a.ts': 'one table' };
    assert.deepEqual(find({ 'src/auth/a.ts': long }, reason), []);
    assert.match(find({ 'src/auth/a.ts': '/** A sample. */\n' }, reason).join(), /take it off the list/);
    assert.match(find({}, reason).join(), /does not exist/);
  });
});

function readTree(): Map<string, string> {
  const files = new Map<string, string>();
  for (const top of ['src', 'scripts', 'bench', 'test', 'console']) {
    for (const path of listFiles(top, /\.tsx?$/)) files.set(path, readFileSync(join(root, path), 'utf8'));
  }
  return files;
}

function listFiles(folder: string, pattern: RegExp): string[] {
  try {
    return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((path) => pattern.test(path) && !/\/(?:node_modules|dist(?:-docs)?)\//.test(path));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
