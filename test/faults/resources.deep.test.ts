/** What the service does when the disk is full at its start or behind its log, and when strangers use up its open files. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { spawnService } from '../crash/service-process.ts';
import { mountSmallDisk } from '../store/small-disk.ts';
import { cleanUp, makeFolder } from '../support/clean-up.ts';
import { skipLoudly } from '../support/skip-loudly.ts';
import { compare, makePlants, openAndCheck, storePlants } from './stored-plants.ts';
import { linesAt, sum, type Tally, TestedService } from './tested-service.ts';
import { until } from '../support/until.ts';

/** Connections of strangers, more than the process may open. */
const strangersMax = 200;
/** Open files that the process may have beside those that it has. */
const spareFiles = 20;

describe('a start on a full disk', () => {
  it('serves reads, or ends with a line that names the disk; with space again nothing is lost', async (t) => {
    const disk = await mountSmallDisk(t, '16m');
    if (disk === undefined) return;
    const folder = join(disk.folder, 'data');
    const plants = makePlants(300, 'kept');
    await storePlants(folder, plants, { isKilled: true });
    const ballast = join(disk.folder, 'ballast');
    await fill(ballast);
    const service = spawnService({ folder });
    const port = await service.ready;
    if (port !== undefined) service.kill('SIGTERM');
    const { code, output } = await service.exited;
    if (port === undefined) {
      assert.notEqual(code, 0);
      assert.match(output, /no space|disk is full/i);
      assert.doesNotMatch(output, /^\s+at /m);
    }
    await rm(ballast);
    assert.deepEqual(await openAndCheck(folder), []);
    assert.deepEqual(await compare(folder, plants), []);
  });
});

describe('a full disk behind the log', () => {
  it('costs no answer and does not keep the service from stopping; the lines follow', async (t) => {
    const disk = await mountSmallDisk(t, '1m');
    if (disk === undefined) return;
    const folder = await makeFolder(t);
    const [logPath, ballast] = [join(disk.folder, 'log'), join(disk.folder, 'ballast')];
    const wrapper = ['sh', '-c', `exec "$@" >> ${logPath}`, 'sh'];
    const service = spawnService({ folder, wrapper, env: { LOG_LEVEL: 'debug' } });
    cleanUp(t, async () => {
      service.kill('SIGKILL');
      await service.exited;
    });
    const readLog = (): string => (existsSync(logPath) ? readFileSync(logPath, 'utf8') : '');
    await until(() => readLog().includes('Ready'), 'it is ready');
    const url = /"url":"([^"]+)"/.exec(readLog())?.[1] ?? '';
    const ask = async (path: string, times: number): Promise<void> => {
      for (let i = 0; i < times; i += 1) assert.equal((await fetch(url + path)).status, 200);
    };
    await fill(ballast);
    // More lines than the last page of the file has room for.
    await ask('/livez', 50);
    await rm(ballast);
    await until(() => readLog().split('getLiveness').length > 50, 'the lines are written');
    await fill(ballast);
    await ask('/readyz', 50);
    service.kill('SIGTERM');
    assert.equal((await service.exited).code, 0);
  });
});

describe('strangers that use up the open files', () => {
  it('do not end the service, and do not keep the log from being copied', async (t) => {
    if (spawnSync('prlimit', ['--version']).status !== 0) {
      skipLoudly(t, 'it needs prlimit');
      return;
    }
    const service = await TestedService.start(t);
    assert.deepEqual(await service.create(10), { 200: 10 });
    const limit = readdirSync(`/proc/${service.pid}/fd`).length + spareFiles;
    assert.equal(spawnSync('prlimit', [`--pid=${service.pid}`, `--nofile=${limit}`]).status, 0);
    const strangers = Array.from({ length: strangersMax }, () => connect(service.port, '127.0.0.1'));
    for (const stranger of strangers) stranger.on('error', () => undefined);
    await Promise.race(strangers.map((each) => new Promise((resolve) => each.on('close', resolve))));
    let during: Tally = {};
    // Twice as much as the log has when it is copied. These connections are open already.
    for (let part = 0; part < 10; part += 1) {
      const tally = await service.import(500, '🌱'.repeat(1000));
      during = sum(during, tally);
    }
    assert.deepEqual(linesAt(service.output, 'fatal'), [], service.output);
    for (const stranger of strangers) stranger.destroy();
    await service.requireRecovery();
    const { code, output } = await service.stop();
    assert.equal(code, 0, output);
    assert.ok((during['200'] ?? 0) > 0, JSON.stringify(during));
    await service.requireKept(t);
  });
});

/** Writes a file until the disk is full, to the last byte. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (let bytes = 1_048_576; bytes >= 1;) {
      const written = await file.write(Buffer.alloc(bytes)).catch(() => ({ bytesWritten: 0 }));
      if (written.bytesWritten < bytes) bytes = Math.floor(bytes / 2);
    }
  } finally {
    await file.close();
  }
}
