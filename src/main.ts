#!/usr/bin/env node
/**
 * The process edge: hands the process to the command line, and is the only file that touches it.
 * Almost everything is imported later, so that an old Node can read this file and say what is
 * wrong.
 */
import { readFileSync, writeSync } from 'node:fs';
import module from 'node:module';
import { constants } from 'node:os';
import { isatty } from 'node:tty';
import { setFlagsFromString } from 'node:v8';
import type { CommandContext, Output, StopSignal } from './cli/command-context.ts';
import { findRuntimeProblem } from './cli/runtime.ts';

/**
 * npm hands on the signal that the terminal or a supervisor has sent to the service as well, or
 * ends the shell between: within this time they count as one. In milliseconds.
 */
const echoMs = 1_000;

/** How often the parent process is checked, in milliseconds. */
const parentPollMs = 250;

/** A closed terminal sends SIGHUP; without one, SIGHUP reloads. Decided now, while it is there. */
const hasTerminal = [0, 1, 2].some((fd) => isatty(fd));

// First of all: without a handler, the kernel drops a signal for the first process of a container.
let takeSignal = takeEarlySignal;
let earlySignal: StopSignal | undefined;
const isThroughNpm = process.env['npm_lifecycle_event'] !== undefined;
/** When the signal came that stops the service. */
let stoppedAt = -Infinity;
let reload: (() => void) | undefined;
// The handlers stay: removing one would drop a signal that is on its way to it.
for (const each of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(each, (signal) => takeSignal(signal));

const problem =
  findRuntimeProblem({ node: process.versions.node, sqlite: process.versions['sqlite'] }) ?? findFolderProblem();
if (problem !== undefined) {
  process.stderr.write(`plant-store: ${problem}\n`);
  process.exitCode = 1;
} else {
  // V8 would learn from the objects of open streams, which live long, to allocate those of
  // every request among old ones, and so collect them late (measured with 1,000 streams: a
  // quarter fewer creates).
  setFlagsFromString('--no-allocation-site-pretenuring');
  const { directory } = module.enableCompileCache();
  // Worker threads find the cache by this variable alone (measured: it saves 60 ms a thread).
  if (directory !== undefined) process.env['NODE_COMPILE_CACHE'] ??= directory;
  const args = process.argv.slice(2);
  const context = toContext();
  if (args.length === 1 && args[0] === '--version') {
    // Needs no parser.
    context.stdout.write(`${context.version}\n`);
  } else {
    const { runProgram } = await import('./cli/program.ts');
    await runProgram(args, context);
  }
}

/** A shell that stands in a folder notices nothing when it is removed, even if there is one of that name again. */
function findFolderProblem(): string | undefined {
  try {
    process.cwd();
    return undefined;
  } catch {
    return 'Cannot run in the current folder: it was removed; change to another one';
  }
}

function toContext(): CommandContext {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return {
    get stdin() {
      return process.stdin;
    },
    stdout: toOutput(1, () => process.stdout),
    stderr: toOutput(2, () => process.stderr),
    env: process.env,
    cwd: process.cwd(),
    version,
    now: () => Date.now(),
    setExitCode: (code) => {
      // Lost output is a failure, whatever the command reports.
      process.exitCode = code === 0 ? (process.exitCode ?? 0) : code;
    },
    exitNow: (code) => process.exit(code),
    onStopSignal,
    onReload: (listener) => {
      reload = listener;
    },
    onCrash: (listener) => {
      // Unhandled rejections arrive here too.
      process.on('uncaughtException', (cause) => listener(cause));
    },
  };
}

/** Opens the stream at its first use: it would make the pipe of the log non-blocking. */
function toOutput(fd: number, toStream: () => NodeJS.WriteStream): Output {
  let opened: NodeJS.WriteStream | undefined;
  const open = (): NodeJS.WriteStream => {
    opened ??= toStream().on('error', failOnLostOutput);
    return opened;
  };
  const isTTY = isatty(fd);
  return {
    fd,
    isTTY,
    get columns() {
      // Some terminals do not know their width: 0.
      const columns = isTTY ? open().columns : undefined;
      return columns === 0 ? undefined : columns;
    },
    write: (text) => void open().write(text),
    writeAll: (bytes) =>
      new Promise((resolve) => {
        open().write(bytes, (error) => resolve(error === undefined || error === null));
      }),
  };
}

/**
 * Before a command listens: `serve` will stop as usual, any other command ends at once. So does
 * `serve` at a second signal: nothing is lost, as it has not opened its store.
 */
function takeEarlySignal(signal: NodeJS.Signals): void {
  // The service has not yet read the files that SIGHUP reloads.
  if (process.argv[2] === 'serve' && ((signal === 'SIGHUP' && !hasTerminal) || isEcho())) return;
  if (process.argv[2] === 'serve' && earlySignal === undefined) {
    earlySignal = signal as StopSignal;
    noteStop();
    return;
  }
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // The first process of a container survives that.
  process.exit(128 + constants.signals[signal]);
}

/** The time begins when the signals that wait already have been taken: loading takes a while. */
function noteStop(): void {
  stoppedAt = Infinity;
  setImmediate(() => (stoppedAt = performance.now()));
}

function isEcho(): boolean {
  return isThroughNpm && performance.now() - stoppedAt < echoMs;
}

function onStopSignal(listener: (signal: StopSignal) => void): void {
  const stop = (signal: StopSignal): void => {
    noteStop();
    listener(signal);
  };
  // The terminal, its shell and npm all report their end, which adds nothing to a signal.
  const onAlone = (signal: StopSignal): void => {
    if (stoppedAt === -Infinity) stop(signal);
  };
  if (isThroughNpm) onParentExit(() => onAlone('SIGTERM'));
  takeSignal = (signal) => {
    if (signal === 'SIGHUP') {
      if (reload !== undefined && !hasTerminal) reload();
      else onAlone(signal);
      return;
    }
    if (!isEcho()) stop(signal as StopSignal);
  };
  if (earlySignal !== undefined) stop(earlySignal);
}

/** npm hands SIGTERM to the shell around this process, which dies of it and hands nothing on. */
function onParentExit(listener: () => void): void {
  const parentId = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parentId) return;
    clearInterval(timer);
    listener();
  }, parentPollMs).unref();
}

/** Output cut short by its reader, as by `| head`, is no failure; a full disk is one. */
function failOnLostOutput(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  if ((process.exitCode ?? 0) === 0) process.exitCode = 1;
  try {
    writeSync(2, `plant-store: Cannot write output: ${error.message}\n`);
  } catch {
    // stderr is lost too.
  }
}
