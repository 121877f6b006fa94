/** Runs the commands of a page as a reader would: in order, in a folder that looks like a clone, through npm and a shell. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Step, toPattern } from './read-steps.ts';
import { transcribe, Transcript } from '../support/transcript.ts';

const root = join(import.meta.dirname, '..', '..');
/** The address in the pages; the test uses a free port. */
const shownUrl = 'http://127.0.0.1:3000';
const commandWithinMs = 120_000;

/** A folder with links to the files of the project. */
export class Clone {
  readonly folder: string;
  #service: ChildProcess | undefined;
  #url: string | undefined;
  /** The log of the service since its last start. */
  #log = new Transcript();
  /** Shell functions that the page defined. */
  #prelude = '';

  static async make(): Promise<Clone> {
    const folder = await mkdtemp(join(tmpdir(), 'plant-store-docs-'));
    for (const name of await readdir(root)) {
      if (!name.startsWith('.') && name !== 'data' && name !== 'tutorial')
        await symlink(join(root, name), join(folder, name));
    }
    // curl shows no progress on a terminal either.
    await writeFile(join(folder, '.curlrc'), 'silent\nshow-error\n');
    return new Clone(folder);
  }

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Runs one step. Rejects when its exit code or its output differs from the page. */
  async take(step: Step): Promise<void> {
    if (step.kind === 'stop') return this.stop();
    const { line, commands, exitCode, shown } = step;
    // npm ci and git pull are skipped.
    const isStart = /(?:^|&& )npm start$/.test(commands);
    const { code, output } = isStart ? await this.#start() : await this.#run(commands);
    const where = `line ${line}: ${commands}`;
    assert.equal(code, exitCode, `${where}\nended with ${code}:\n${output}`);
    if (shown !== undefined) assert.match(output, toPattern(shown), where);
  }

  /** Ctrl-C: npm and the service both get the signal. */
  async stop(): Promise<void> {
    const service = this.#service;
    this.#service = undefined;
    if (service?.pid === undefined) return;
    // npm may exit first; the output ends when the service exits.
    const ended = once(service, 'close');
    process.kill(-service.pid, 'SIGINT');
    await ended;
    assert.match(this.#log.text, /Draining +signal SIGINT\n.*Stopped\n$/, 'the service stops in order');
  }

  /** Kills a running service and removes the folder. */
  async remove(): Promise<void> {
    if (this.#service?.pid !== undefined) process.kill(-this.#service.pid, 'SIGKILL');
    await rm(this.folder, { recursive: true, force: true });
  }

  async #run(commands: string): Promise<{ code: number; output: string }> {
    if (/^[\w-]+\(\) \{/.test(commands)) return this.#define(commands);
    return this.#runScript(commands);
  }

  /** Runs the program of the function once as the page has it; from then on without npm, which takes longer than the program. */
  async #define(definition: string): Promise<{ code: number; output: string }> {
    this.#prelude += `${definition.replace('npm run -s plant-store --', `"${process.execPath}" src/main.ts`)}\n`;
    return this.#runScript(`${definition}\nplant-store --version >/dev/null`);
  }

  #runScript(commands: string): Promise<{ code: number; output: string }> {
    const script = `exec 2>&1 </dev/null\n${this.#prelude}${this.#toReal(commands)}`;
    const options = { cwd: this.folder, env: this.#env(), timeout: commandWithinMs } as const;
    return new Promise((resolve, reject) => {
      execFile('bash', ['-c', script], options, (error, stdout) => {
        const code = error === null ? 0 : error.code;
        if (typeof code === 'number') resolve({ code, output: this.#toShown(stdout) });
        else reject(new Error(`Cannot run ${commands}`, { cause: error }));
      });
    });
  }

  async #start(): Promise<{ code: number; output: string }> {
    assert.equal(this.#service, undefined, 'the service does not run already');
    const env = { ...this.#env(), PORT: '0', LOG_FORMAT: 'pretty' };
    // A process group, as on a terminal, so that all its processes get a signal.
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const service = spawn('npm', ['start'], { cwd: this.folder, env, detached: true, stdio: [...stdio] });
    this.#service = service;
    this.#log = transcribe(service);
    const ready = await this.#log.find((text) => /^.*Ready +url (\S+).*\n/m.exec(text));
    this.#url = ready[1];
    return { code: 0, output: this.#toShown(ready[0]) };
  }

  #env(): NodeJS.ProcessEnv {
    const { PATH, HOME, LANG } = process.env;
    // npm warns about settings of the machine.
    const quiet = { npm_config_update_notifier: 'false', npm_config_loglevel: 'error' };
    return { PATH, HOME, LANG, CURL_HOME: this.folder, ...quiet };
  }

  #toReal(text: string): string {
    return text.replaceAll(shownUrl, this.#url ?? shownUrl);
  }

  #toShown(text: string): string {
    return text
      .replaceAll('\r\n', '\n')
      .replaceAll(this.#url ?? shownUrl, shownUrl)
      .trimEnd();
  }
}
