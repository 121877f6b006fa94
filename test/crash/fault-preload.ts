/**
 * Loaded with `--import` before a program: wraps node:sqlite so that the fault in the environment happens, on the writer thread alone.
 * Needs no hook in the product: it goes by the SQL that the store speaks, and a fault that is never reached fails its test.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync } from 'node:sqlite';
import type { StatementSync } from 'node:sqlite';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { Checkpointer } from '../../src/store/sqlite/threads/checkpointer.ts';
import { faultVariable } from './fault.ts';
import type { Fault } from './fault.ts';

type Prepare = (this: DatabaseSync, sql: string) => StatementSync;
type Execute = (this: DatabaseSync, sql: string) => void;
type Close = (this: DatabaseSync) => void;

/** Each row counts as so many where a checkpoint is awaited: `npm run crash` meets one after some hundred plants. */
const rowWeight = 60;

const methods = DatabaseSync.prototype as unknown as { prepare: Prepare; exec: Execute; close: Close };
const { exec, close } = methods;

const spec = process.env[faultVariable];
if (spec !== undefined && !isMainThread) bringAbout(JSON.parse(spec) as Fault);

function bringAbout(fault: Fault): void {
  switch (fault.kind) {
    case 'kill':
      killAt(fault);
      return;
    case 'fail-commit':
      aroundCommit((commit, count) => {
        if (count >= fault.nth && count < fault.nth + fault.times) throw toSqliteError(fault.errcode);
        return commit();
      });
      return;
    case 'end-thread':
      aroundCommit((commit, count) => (count === fault.nth ? process.exit(1) : commit()));
      return;
    case 'slow-commit':
      aroundCommit((commit) => {
        pause(fault.ms);
        return commit();
      });
      return;
    case 'fail-sync':
      failSync();
      return;
    case 'fail-checkpoint':
      failFirstCopy(fault.errcode);
      return;
    case 'no-sync':
      syncNothing();
      return;
    case 'late-commit':
      commitLate(fault.ms);
  }
}

function killAt({ at, nth, delayUs = 0 }: Fault & { kind: 'kill' }): void {
  let count = 0;
  switch (at) {
    case 'start':
      methods.exec = function (sql) {
        count += 1;
        if (count === nth) killNow();
        exec.call(this, sql);
      };
      return;
    case 'before-commit':
      aroundCommit((commit, reached) => (reached === nth ? killNow() : commit()));
      return;
    case 'after-commit':
      aroundCommit((commit, reached) => {
        const result = commit();
        return reached === nth ? killNow() : result;
      });
      return;
    case 'checkpoint': {
      const killSoon = makeKiller(delayUs);
      checkpointOften();
      aroundStatement('PRAGMA wal_checkpoint(PASSIVE)', 'get', (call) => {
        count += 1;
        if (count === nth) killSoon();
        const result = call();
        if (count === nth) pause(60_000);
        return result;
      });
      return;
    }
    case 'close': {
      const killSoon = makeKiller(delayUs);
      methods.close = function () {
        killSoon();
        close.call(this);
        pause(60_000);
      };
    }
  }
}

function killNow(): never {
  process.kill(process.pid, 'SIGKILL');
  pause(60_000);
  throw new Error('The process outlived SIGKILL');
}

/** A thread that waits for the word, then `delayUs`, then kills: the only way to hit a call into SQLite while it runs. */
function makeKiller(delayUs: number): () => void {
  const flag = new Int32Array(new SharedArrayBuffer(8));
  const code = `
    const { workerData: { flag, delayUs } } = require('node:worker_threads');
    Atomics.store(flag, 1, 1);
    Atomics.notify(flag, 1);
    Atomics.wait(flag, 0, 0);
    const end = performance.now() + delayUs / 1000;
    while (performance.now() < end);
    process.kill(process.pid, 'SIGKILL');`;
  const env = { ...process.env };
  // Else this file would be at work in the killer too.
  Reflect.deleteProperty(env, faultVariable);
  new Worker(code, { eval: true, env, workerData: { flag, delayUs } }).unref();
  return () => {
    Atomics.wait(flag, 1, 0, 10_000);
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
  };
}

function checkpointOften(): void {
  const checkpointers = Checkpointer.prototype as {
    advance: (this: Checkpointer, rows: number, bytes: number) => void;
  };
  const { advance } = checkpointers;
  checkpointers.advance = function (rows, bytes) {
    advance.call(this, rowWeight * rows, bytes);
  };
}

function failSync(): void {
  fs.fdatasyncSync = () => {
    throw new Error('made by a test: the file cannot be synced');
  };
  syncBuiltinESMExports();
}

function failFirstCopy(errcode: number): void {
  // The writer copies with the same statement.
  if (!('isCheckpointing' in (workerData as object))) return;
  let count = 0;
  aroundStatement('PRAGMA wal_checkpoint(PASSIVE)', 'get', (call) => {
    count += 1;
    if (count === 1) throw toSqliteError(errcode);
    return call();
  });
}

function syncNothing(): void {
  methods.exec = function (sql) {
    exec.call(this, sql.replace(/^PRAGMA synchronous = \w+$/, 'PRAGMA synchronous = OFF'));
  };
  aroundStatement('PRAGMA synchronous', 'get', () => ({ synchronous: 2n }));
}

function commitLate(ms: number): void {
  let commitAll: (() => unknown) | undefined;
  aroundStatement('BEGIN IMMEDIATE', 'run', (call) => (commitAll === undefined ? call() : undefined));
  // SQLite copies no log within a transaction.
  aroundStatement('PRAGMA wal_checkpoint(PASSIVE)', 'get', (call) =>
    commitAll === undefined ? call() : { busy: 0n, log: 0n, checkpointed: 0n },
  );
  aroundCommit((commit) => {
    if (commitAll !== undefined) return undefined;
    commitAll = commit;
    setTimeout(() => {
      commitAll = undefined;
      commit();
    }, ms);
    return undefined;
  });
}

/** Puts `around` in the place of each COMMIT of writes; `count` is 1 for the first. Migrations commit through `exec` and are not counted. */
function aroundCommit(around: (commit: () => unknown, count: number) => unknown): void {
  let count = 0;
  aroundStatement('COMMIT', 'run', (call) => {
    count += 1;
    return around(call, count);
  });
}

function aroundStatement(wanted: string, method: 'run' | 'get', around: (call: () => unknown) => unknown): void {
  const prepareBefore = methods.prepare;
  methods.prepare = function (sql) {
    const statement = prepareBefore.call(this, sql);
    if (sql !== wanted) return statement;
    const wrapped = statement as unknown as Record<'run' | 'get', () => unknown>;
    const call = wrapped[method].bind(statement);
    wrapped[method] = () => around(call);
    return statement;
  };
}

/** Makes an error like those that node:sqlite throws. */
function toSqliteError(errcode: number): Error {
  return Object.assign(new Error(`made by a test: result code ${errcode}`), { code: 'ERR_SQLITE_ERROR', errcode });
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
