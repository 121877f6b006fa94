/** `npm run judge:clients`: generates, compiles and calls clients of the description in many languages, and prints what works. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { readArguments, readChoice } from '../../support/command-line.ts';
import { startProcess } from '../../support/start-process.ts';
import { clients } from './clients.ts';
import { judgeClient, type Verdict } from './judge-client.ts';
import { writeTables } from './report.ts';

const names = Object.keys(clients) as [string, ...string[]];
const help = `Usage: npm run judge:clients -- [client...] [options]

  client        ${names.join(', ')} (all)
  --folder DIR  keeps what is fetched and generated, for the next run (a temporary folder)
  --write       writes the rows of these clients into docs/clients.md
  --help`;

const { values, positionals } = readArguments(
  {
    allowPositionals: true,
    options: {
      folder: { type: 'string' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  },
  help,
);
const chosen = positionals.length === 0 ? names : positionals.map((name) => readChoice('client', name, names));
await using stack = new AsyncDisposableStack();
const folder =
  values.folder === undefined ? await mkdtemp(join(tmpdir(), 'plant-store-clients-')) : resolve(values.folder);
if (values.folder === undefined) stack.defer(() => rm(folder, { recursive: true }));
const verdicts = new Map<string, Verdict | string>();
for (const name of chosen) {
  const verdict = await judge(name);
  verdicts.set(name, verdict);
  console.log(`${name.padEnd(28)} ${typeof verdict === 'string' ? verdict : summarize(verdict)}`);
  const isLost = typeof verdict === 'string' || Object.values(verdict.calls).some(({ outcome }) => outcome === 'lost');
  if (isLost) process.exitCode = 1;
}
if (values.write) {
  const page = join(import.meta.dirname, '../../../docs/clients.md');
  const text = writeTables(await readFile(page, 'utf8'), verdicts);
  await writeFile(page, await format(text, { ...(await resolveConfig(page)), filepath: page }));
}

/** The verdict, or why there is none. */
async function judge(name: string): Promise<Verdict | string> {
  const client = clients[name];
  if (client === undefined) throw new Error(name);
  const absent = client.needs.filter((tool) => spawnSync('which', [tool]).status !== 0);
  if (absent.length > 0) return `NOT JUDGED: ${absent.join(', ')} is not installed`;
  await using scope = new AsyncDisposableStack();
  const service = await startProcess({ after: (callback) => scope.defer(callback) }, { store: 'folder' });
  try {
    return await judgeClient(client, join(folder, name), service);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function summarize({ missing, calls }: Verdict): string {
  const notes = Object.entries(calls).flatMap(([name, { outcome, plain, other }]) =>
    outcome === 'ok' ? [] : [`\n    ${outcome === 'lost' ? 'LOST' : 'way out'} ${name}: ${plain} -> ${other}`],
  );
  const lacks = missing.length === 0 ? '' : `\n    LACKS ${missing.join(', ')}`;
  return `${Object.keys(calls).length - notes.length} of ${Object.keys(calls).length} calls ok${lacks}${notes.join('')}`;
}
