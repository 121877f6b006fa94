/** The program that calls a generated client: it takes the name of a call on each line, and answers with a line of JSON. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';

const withinMs = 60_000;

export interface Answer {
  /** What it has read. */
  readonly got?: string;
  /** Why it has read nothing; empty if it does not know the call. */
  readonly failed?: string;
  /** What is different about the other way. */
  readonly how?: string;
}

export class Driver {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #input: Interface;

  constructor(line: string, cwd: string, service: { readonly url: string; readonly token: string }) {
    const env = { ...process.env, PLANT_STORE_URL: service.url, PLANT_STORE_TOKEN: service.token };
    this.#child = spawn('bash', ['-c', `exec ${line}`], { cwd, env, stdio: 'pipe' });
    const { stdout, stderr } = this.#child;
    if (stdout === null || stderr === null) throw new Error('The program has no output');
    stderr.pipe(createWriteStream(join(cwd, 'driver.log')));
    this.#input = createInterface({ input: stdout });
    this.#lines = this.#input[Symbol.asyncIterator]();
  }

  /** @throws Error if the program ends, or does not answer in time. */
  async ask(call: string): Promise<Answer> {
    this.#child.stdin?.write(`${call}\n`);
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), withinMs);
    const line = await this.#lines.next();
    clearTimeout(timer);
    if (line.done === true) throw new Error(`The program ended during "${call}": see driver.log`);
    return JSON.parse(line.value) as Answer;
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const closed = once(this.#child, 'close');
    this.#child.kill('SIGKILL');
    await closed;
  }
}
