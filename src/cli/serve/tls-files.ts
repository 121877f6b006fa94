/**
 * Rereads the certificate and its key each minute and on demand; keeps the old files if the new
 * ones do not work.
 */
import type { Config } from '../../config/load-config.ts';
import type { Tls } from '../../http/server.ts';
import type { Log } from '../../observe/log.ts';
import { StateLine } from '../../observe/state-line.ts';
import type { CommandContext } from '../command-context.ts';
import { findDateProblem, readTls } from './read-tls.ts';

/** Time between two looks, in milliseconds. */
const lookMs = 60_000;

/**
 * Reads the files of the configuration, if any, and again when the process is asked to reload.
 * @throws Error if they cannot be used.
 */
export async function openTls(config: Config, context: CommandContext, log: Log): Promise<TlsFiles | undefined> {
  let reload = (): void => undefined;
  // Before the files are read: without a listener, SIGHUP would end the service.
  context.onReload(() => reload());
  const used = await readTls(config);
  const now = (): number => context.now();
  const files = used === undefined ? undefined : new TlsFiles(used, { read: () => readTls(config), now, log });
  reload = () => {
    if (files === undefined) log.info('Nothing to reload: there are no TLS files');
    else files.reload();
  };
  return files;
}

export interface TlsFilesOptions {
  /** @throws Error if the files cannot be used. */
  readonly read: () => Promise<Tls | undefined>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Log;
}

export class TlsFiles {
  readonly #options: TlsFilesOptions;
  readonly #unusable: StateLine;
  readonly #invalid: StateLine;
  #used: Tls;
  #use: ((tls: Tls) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  /** Asked for while it looked: the files may have changed after they were read. */
  #isWanted = false;

  /** What the service has. */
  get used(): Tls {
    return this.#used;
  }

  /** @param used what the service has. */
  constructor(used: Tls, options: TlsFilesOptions) {
    this.#used = used;
    this.#options = options;
    this.#unusable = new StateLine(options.log, () => performance.now(), {
      began: 'Cannot use the TLS files; the service keeps the certificate that it has',
      ended: 'The TLS files can be used again',
    });
    this.#invalid = new StateLine(options.log, () => performance.now(), {
      began: 'Clients refuse the TLS certificate',
      ended: 'The TLS certificate is valid',
    });
    this.#checkDates();
  }

  /** Calls back with what the files have from now on. */
  watch(use: (tls: Tls) => void): void {
    this.#use = use;
    this.#timer = setInterval(() => void this.#look(), lookMs).unref();
  }

  /** Looks now, and logs also that nothing changed. */
  reload(): void {
    void this.#look().then((hasChanged) => {
      if (hasChanged === false) this.#options.log.info('The TLS files have not changed');
    });
  }

  close(): void {
    clearInterval(this.#timer);
    this.#use = undefined;
  }

  /** Resolves to whether they changed; undefined: they cannot be used, or another look says it. */
  async #look(): Promise<boolean | undefined> {
    this.#isWanted = true;
    if (this.#isLooking) return undefined;
    this.#isLooking = true;
    let hasChanged: boolean | undefined;
    while (this.#isWanted) {
      this.#isWanted = false;
      hasChanged = await this.#take();
    }
    this.#isLooking = false;
    return hasChanged;
  }

  async #take(): Promise<boolean | undefined> {
    const { read, now, log } = this.#options;
    try {
      const tls = await read();
      if (tls === undefined || this.#use === undefined) return undefined;
      const hasChanged = tls.cert !== this.#used.cert || tls.key !== this.#used.key;
      if (hasChanged) {
        const problem = findDateProblem(tls, now());
        // If neither certificate is valid now, the new one was meant.
        if (problem !== undefined && findDateProblem(this.#used, now()) === undefined)
          throw new Error(`The new certificate is not used while the old one is valid: ${problem}`);
        this.#use(tls);
        this.#used = tls;
        log.info('Renewed the TLS certificate');
      }
      this.#unusable.end();
      return hasChanged;
    } catch (cause) {
      this.#unusable.note({ reason: cause instanceof Error ? cause.message : String(cause) });
      return undefined;
    } finally {
      this.#checkDates();
    }
  }

  /** Also while it runs: a certificate that is not renewed expires some day. */
  #checkDates(): void {
    const reason = findDateProblem(this.#used, this.#options.now());
    if (reason === undefined) this.#invalid.end();
    else this.#invalid.note({ reason });
  }
}
