/**
 * Promise: what was acknowledged survives a loss of power, in each command and at each moment. strace records all calls; the disk is rebuilt
 * with what had been synced by then and parts of the rest; the store is opened and compared with what had left the process.
 */
import assert from 'node:assert/strict';
import { mkdir, readFile, readdir } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { hashToken } from '../../../src/auth/token.ts';
import { backupStore } from '../../../src/store/maintenance.ts';
import type { Fault } from '../../crash/fault.ts';
import { sendRequest } from '../../crash/send-request.ts';
import { readPlants } from '../../support/store-under-test.ts';
import { isLong, seed } from '../extent.ts';
import { checkRestored, compare, compareFile, makePlants, openAndCheck, storePlants } from '../stored-plants.ts';
import { canTrace } from '../system-calls.ts';
import { losePower } from './lose-power.ts';
import { record } from './record.ts';
import type { Recording } from './recording.ts';
import { makeFolder } from '../../support/clean-up.ts';

const states = isLong ? 300 : 12;
const timeout = isLong ? 1_200_000 : 300_000;

describe('a loss of power under load', () => {
  it(`loses nothing that was acknowledged, and leaves a sound store (SEED=${seed})`, { timeout }, async (t) => {
    const load = await findRecordedLoad(t);
    if (load === undefined) return;
    const { recording, ledger } = load;
    t.diagnostic(`${recording.events.length} events, ${ledger.writeCount} writes`);
    assert.ok(ledger.writeCount > 100, `${ledger.writeCount} writes`);
    assert.deepEqual(await losePower({ recording, states, seed, check: (...of) => ledger.check(...of) }), []);
  });

  it(`is seen to lose plants when nothing is synced (SEED=${seed})`, { timeout }, async (t) => {
    const load = await recordLoad(t, { kind: 'no-sync' });
    if (load === undefined) return;
    const { recording, ledger } = load;
    const found = await losePower({ recording, states, seed, check: (...of) => ledger.check(...of) });
    assert.ok(found.length > 0, 'the proof goes red');
  });

  for (const [what, kind] of [
    ['the syncs of files', 'sync'],
    ['the syncs of folders', 'sync-folder'],
  ] as const) {
    it(`is seen to lose plants when ${what} are left out (SEED=${seed})`, { timeout }, async (t) => {
      const load = await findRecordedLoad(t);
      if (load === undefined) return;
      const recording = { ...load.recording, events: load.recording.events.filter((event) => event.kind !== kind) };
      const found = await losePower({ recording, states, seed, check: (...of) => load.ledger.check(...of) });
      assert.ok(found.length > 0, 'the proof goes red');
    });
  }
});

describe('a loss of power in the first start', () => {
  it('leaves no stored token without the file that holds it', { timeout }, async (t) => {
    if (!canTrace(t)) return;
    const { root, traceFile } = await makeRoot(t);
    const env = { PLANT_STORE_INITIAL_TOKEN: undefined };
    const recording = await record(root, traceFile, { env }, async (service) => {
      assert.notEqual(await service.ready, undefined, service.output());
      service.kill('SIGTERM');
      assert.equal((await service.exited).code, 0);
    });
    const check = async (folder: string): Promise<string[]> => {
      const data = join(folder, 'data');
      const faults = await openAndCheck(data);
      const db = new DatabaseSync(join(data, 'plants.db'));
      const hashes = db
        .prepare('SELECT hash FROM tokens')
        .all()
        .map(({ hash }) => hash);
      db.close();
      if (hashes.length === 0) return faults;
      const token = await readFile(join(data, 'initial-token'), 'utf8').catch(() => '');
      return hashes.includes(hashToken(token.trim())) ? faults : [...faults, 'a token is stored that no file holds'];
    };
    assert.deepEqual(await losePower({ recording, states: 2 * states, seed, check }), []);
  });
});

describe('a loss of power in a backup', () => {
  it('leaves the earlier file or the complete new one, and the store as it was', { timeout }, async (t) => {
    if (!canTrace(t)) return;
    const { root, traceFile } = await makeRoot(t);
    const [first, second] = [makePlants(50, 'first'), makePlants(300, 'second')];
    const [data, file] = [join(root, 'data'), join(root, 'backup.db')];
    await storePlants(data, first);
    await backupStore({ folder: data }, file);
    await storePlants(data, second);
    const recording = await recordCommand(root, traceFile, ['backup', file, '--data-dir', data]);
    const check = async (folder: string, sent: string): Promise<string[]> => {
      const isNew = sent.includes('Backed up 300 plants');
      const backup = await compareFile(join(folder, 'backup.db'), second, ...(isNew ? [] : [first]));
      return [
        ...backup,
        ...(await openAndCheck(join(folder, 'data'))),
        ...(await compare(join(folder, 'data'), second)),
      ];
    };
    assert.deepEqual(await losePower({ recording, states, seed, check }), []);
  });
});

describe('a loss of power in restore --force', () => {
  it('leaves the store that was there or the backup, and in the end both', { timeout }, async (t) => {
    if (!canTrace(t)) return;
    const { root, traceFile } = await makeRoot(t);
    const [restored, kept] = [makePlants(50, 'restored'), makePlants(300, 'kept')];
    const [data, file] = [join(root, 'data'), join(root, 'backup.db')];
    await storePlants(data, restored);
    await backupStore({ folder: data }, file);
    // Store the plants as a killed service leaves them: all in the WAL, none in the database.
    await storePlants(data, kept, { isKilled: true });
    const recording = await recordCommand(root, traceFile, ['restore', file, '--force', '--data-dir', data]);
    const check = async (folder: string, sent: string): Promise<string[]> => {
      const target = join(folder, 'data');
      const isDone = sent.includes('Restored 50 plants');
      return checkRestored(target, await readdir(target), { restored, kept, isDone });
    };
    assert.deepEqual(await losePower({ recording, states, seed, check }), []);
  });
});

/** A folder to record, and a place for the trace beside it. */
async function makeRoot(t: TestContext): Promise<{ root: string; traceFile: string }> {
  const outer = await makeFolder(t);
  await mkdir(join(outer, 'root'));
  return { root: join(outer, 'root'), traceFile: join(outer, 'trace') };
}

async function recordCommand(root: string, traceFile: string, command: readonly string[]): Promise<Recording> {
  return record(root, traceFile, { command }, async ({ exited }) => {
    const { code, output } = await exited;
    assert.equal(code, 0, output);
  });
}

interface Load {
  readonly recording: Recording;
  readonly ledger: Ledger;
}

let recordedLoad: Promise<Load | undefined> | undefined;

/** The load on a sound service, recorded once for all tests. */
function findRecordedLoad(t: TestContext): Promise<Load | undefined> {
  return (recordedLoad ??= recordLoad(t));
}

/** Creates, replaces and deletes plants in a service, from its first start to its end. */
async function recordLoad(t: TestContext, fault?: Fault): Promise<Load | undefined> {
  if (!canTrace(t)) return undefined;
  const { root, traceFile } = await makeRoot(t);
  const ledger = new Ledger();
  const recording = await record(root, traceFile, { fault }, async (service) => {
    const port = await service.ready;
    if (port === undefined) throw new Error(service.output());
    await Promise.all(Array.from({ length: 12 }, (_, writer) => ledger.write(port, writer, isLong ? 250 : 18)));
    service.kill('SIGTERM');
    assert.equal((await service.exited).code, 0);
  });
  return { recording, ledger };
}

/** What each plant was made to be, in order; undefined for a deletion. */
class Ledger {
  readonly #contents = new Map<bigint, (string | undefined)[]>();

  get writeCount(): number {
    return [...this.#contents.values()].reduce((total, contents) => total + contents.length, 0);
  }

  /** Writes plants of one client, one after the other. */
  async write(port: number, writer: number, count: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let index = 0; index < count; index += 1) {
      const id = BigInt(writer * 1_000 + (index % 7));
      const contents = this.#contents.get(id) ?? [];
      this.#contents.set(id, contents);
      const isDeletion = index % 9 === 8;
      const name = `mark-${writer}-${index}. ${'x'.repeat(index % 5 === 0 ? 900 : 5)}`;
      contents.push(isDeletion ? undefined : name);
      const body = isDeletion ? undefined : `{"name":"${name}","tag":"tag ${index % 3}"}`;
      const { status } = await sendRequest(
        port,
        { method: isDeletion ? 'DELETE' : 'PUT', path: `/plants/${id}`, body },
        agent,
      );
      assert.ok([200, 201, 204, 404].includes(status), String(status));
    }
    agent.destroy();
  }

  /** Each plant must be as in its last acknowledged write, or as in one that was sent after it. */
  async check(folder: string, sent: string): Promise<string[]> {
    const data = join(folder, 'data');
    const faults = await openAndCheck(data);
    const acknowledged = new Set(
      sent.split('\n').flatMap((line) => (line.includes('HTTP/1.1 20') ? (line.match(/mark-\d+-\d+\./g) ?? []) : [])),
    );
    const stored = await readPlants(data);
    for (const [id, contents] of this.#contents) {
      const last = contents.findLastIndex((name) => name !== undefined && acknowledged.has(name.split(' ')[0] ?? ''));
      const name = stored.get(id)?.name;
      const allowed = last < 0 ? [undefined, ...contents] : contents.slice(last);
      if (!allowed.includes(name))
        faults.push(`${id} is ${name?.slice(0, 20)}, and ${contents[last]?.slice(0, 20)} was acknowledged`);
    }
    return faults;
  }
}
