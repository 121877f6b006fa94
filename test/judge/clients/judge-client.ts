/** Judges one generated client: which operations it has, and what its program reads and writes in each step. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, open, readFile, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { PlantClient } from '../../../src/client/client.ts';
import type { Service } from '../../support/service-run.ts';
import type { Client } from './client.ts';
import { type Answer, Driver } from './driver.ts';
import { plants, type Step, steps } from './steps.ts';

const root = join(import.meta.dirname, '../../..');
const buildWithinMs = 1_800_000;

export interface Verdict {
  /** Operations that have no function. */
  readonly missing: readonly string[];
  /** By the name of the step. */
  readonly calls: Readonly<Record<string, Call>>;
}

export interface Call {
  /** `other`: not as the generated function is meant to be called. */
  readonly outcome: 'ok' | 'other' | 'lost';
  /** What the plain call did, if not what it should. */
  readonly plain: string;
  /** The way of calling that works instead. */
  readonly other: string;
}

/** @throws Error with the last output if the client cannot be generated or compiled. */
export async function judgeClient(client: Client, folder: string, service: Service): Promise<Verdict> {
  await mkdir(folder, { recursive: true });
  await copyFile(join(root, 'openapi.json'), join(folder, 'openapi.json'));
  for (const file of client.files)
    await copyFile(join(import.meta.dirname, 'drivers', file), join(folder, basename(file)));
  const log = join(folder, 'build.log');
  for (const line of client.build) await runLine(line, folder, log);
  const missing = await findMissing(client, join(folder, 'client'));
  const driver = new Driver(client.run, folder, service);
  try {
    const calls: Record<string, Call> = {};
    for (const [name, step] of Object.entries(steps)) calls[name] = await judgeStep(name, step, driver, service);
    return { missing, calls };
  } finally {
    await driver.end();
  }
}

async function runLine(line: string, cwd: string, log: string): Promise<void> {
  await using output = await open(log, 'a');
  await output.write(`$ ${line}\n`);
  const child = spawn('nice', ['bash', '-ceuo', 'pipefail', line], {
    cwd,
    stdio: ['ignore', output.fd, output.fd],
    timeout: buildWithinMs,
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return;
  const lines = (await readFile(log, 'utf8')).trimEnd().split('\n');
  throw new Error(`${line}\n${lines.slice(-20).join('\n')}`);
}

async function findMissing(client: Client, folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const sources = await Promise.all(
    files
      .filter(
        (file) =>
          file.isFile() && !/node_modules|\/(docs|test|spec|target)(\/|$)/.test(file.parentPath.slice(folder.length)),
      )
      .map(({ parentPath, name }) => join(parentPath, name))
      .map(async (path) => `${path}\n${await readFile(path, 'utf8')}`),
  );
  const { paths } = JSON.parse(await readFile(join(root, 'openapi.json'), 'utf8')) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>;
  };
  const ids = Object.values(paths).flatMap((path) =>
    Object.values(path).flatMap(({ operationId }) => operationId ?? []),
  );
  return ids.filter((id) => !sources.some((source) => client.toPattern(id).test(source)));
}

async function judgeStep(name: string, step: Step, driver: Driver, service: Service): Promise<Call> {
  const store = new PlantClient({ url: service.url, token: service.token });
  const attempt = async (line: string): Promise<Answer & { readonly isRight: boolean }> => {
    await reset(store, step);
    const answer = await driver.ask(line);
    const wanted = step.after ?? step.before ?? plants;
    const hooks = (await store.webhooks.list()).length;
    const found = await Array.fromAsync(store.list());
    const isRight =
      answer.got === step.got && isDeepStrictEqual(found, wanted) && hooks === (name === 'webhook' ? 1 : 0);
    return { ...answer, isRight };
  };
  const plain = await attempt(name);
  if (plain.isRight) return { outcome: 'ok', plain: '', other: '' };
  const failure = plain.failed ?? (plain.got === step.got ? 'The store has something else' : `got ${plain.got}`);
  const other = await attempt(`${name}/other`);
  return {
    outcome: other.isRight ? 'other' : 'lost',
    plain: failure === '' ? 'The code has no function for it' : failure,
    other: other.how ?? '',
  };
}

/** Makes the store as the step finds it: its newest changes are the plants, one by one. */
async function reset(store: PlantClient, { before = plants }: Step): Promise<void> {
  for (const { id } of await store.webhooks.list()) await store.webhooks.delete(id);
  for (const { id } of await Array.fromAsync(store.list())) await store.delete(id);
  for (const plant of before) await store.create(plant);
}
