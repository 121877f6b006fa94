/** Says that the service is ready: to the log, to commands on this machine, and at a terminal. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashToken } from '../../auth/token.ts';
import type { Config } from '../../config/load-config.ts';
import { stateOf } from '../../domain/principal.ts';
import type { TokenStore } from '../../domain/store.ts';
import type { Log } from '../../observe/log.ts';
import { toSystemReason } from '../../system/system-error.ts';
import { addressFile } from '../../store/store-files.ts';
import { type CommandContext, toProgram } from '../command-context.ts';
import { toPrintable } from '../output/to-printable.ts';
import { toListening, urlOf } from './listen.ts';
import { writeSecret } from './write-secret.ts';

interface ReadyService {
  /** The service listens on it. */
  readonly port: number;
  /** Absent: the store is a database. */
  readonly folder: string | undefined;
  readonly tokens: Pick<TokenStore, 'findByHash'>;
  /** The file with the first token, if this start created one. */
  readonly firstTokenPath: string | undefined;
  /** Whether the database cannot be used yet. */
  readonly isAway: boolean;
  readonly log: Log;
}

export async function announceReady(
  config: Config,
  context: CommandContext,
  { port, folder, tokens, firstTokenPath, isAway, log }: ReadyService,
): Promise<void> {
  const url = urlOf(config, port);
  if (folder !== undefined) await publishAddress(folder, url, log);
  const hint = firstTokenPath === undefined ? {} : { firstToken: firstTokenPath };
  const away = isAway ? { database: 'cannot be used yet: requests get 503 until it can' } : {};
  log.info({ url, ...toListening(config, port), ...hint, ...away }, 'Ready');
  if (!context.stdout.isTTY || config.logFormat === 'json' || !log.isLevelEnabled('info')) return;
  const tokenPath = folder === undefined ? undefined : join(folder, 'initial-token');
  const isValid = tokenPath !== undefined && (await isActive(tokenPath, tokens, context.now()));
  log.writeText(toWelcome(url, isValid ? tokenPath : `create one with "${toProgram(context)} token create"`));
}

/** For commands on this machine. Unlocking the folder removes it. */
async function publishAddress(folder: string, url: string, log: Log): Promise<void> {
  await writeSecret(addressFile(folder), `${url}\n`).catch((error: unknown) =>
    log.warn({ reason: toSystemReason(error) }, 'Cannot write the address of the service: commands need --url'),
  );
}

/** Resolves to whether the file has a token that is neither revoked nor expired. */
async function isActive(path: string, tokens: ReadyService['tokens'], now: number): Promise<boolean> {
  const token = await readFile(path, 'utf8').catch(() => '');
  const record = await tokens.findByHash(hashToken(token.trim()));
  return record !== undefined && stateOf(record, now) === 'active';
}

/** What a person at a terminal needs next. */
function toWelcome(url: string, token: string): string {
  return `
  Console  ${url}/console
  Docs     ${url}/docs
  Token    ${toPrintable(token)}
  Stop     Ctrl-C

`;
}
