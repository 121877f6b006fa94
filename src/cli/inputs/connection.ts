/** How a command reaches a running service: its address and a token. The client sends requests. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { ClientOptions, PlantClient } from '../../client/client.ts';
import { loadOptions, readVariable } from '../../config/load-config.ts';
import { toSystemReason } from '../../observe/system-error.ts';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../usage-error.ts';
import { explainFailure, type Refusals } from './explain-failure.ts';

/** Options of every such command. */
export interface ConnectionFlags {
  readonly url?: string;
  readonly tokenFile?: string;
}

/** Where `serve` listens by default. */
const urlDefault = 'http://127.0.0.1:3000';

/** Adds `--url` and `--token-file` to a command. */
export function addConnection(command: Command): Command {
  return command
    .option('--url <url>', `Address of the service (env: PLANT_STORE_URL, default: ${urlDefault})`)
    .option(
      '--token-file <path>',
      'File with the token (env: PLANT_STORE_TOKEN with the token itself, or PLANT_STORE_TOKEN_FILE; default on this machine: initial-token in the data folder)',
    );
}

/**
 * Resolves to what `use` resolves to.
 * @throws UsageError for an address or a token that cannot be one, or when there is no token; Error for what the service refuses, with
 * its number or as in `refusals`.
 */
export async function withClient<Result>(
  flags: ConnectionFlags,
  context: CommandContext,
  use: (client: PlantClient) => Promise<Result>,
  { refusals = {}, ...options }: Pick<ClientOptions, 'retries' | 'onRetry'> & { readonly refusals?: Refusals } = {},
): Promise<Result> {
  const url = flags.url ?? readVariable(context.env, 'PLANT_STORE_URL') ?? urlDefault;
  // Loaded late: help does not need it.
  const { PlantClient } = await import('../../client/client.ts');
  const { toBase } = await import('../../client/requests.ts');
  // First: which token is used depends on the address.
  usable(() => toBase(url), `; it comes from ${flags.url === undefined ? 'the variable PLANT_STORE_URL' : '--url'}`);
  const { token, source } = await findToken(url, flags, context);
  const client = usable(() => new PlantClient({ ...options, url, token }), `; it comes from ${source}`);
  try {
    return await use(client);
  } catch (error) {
    throw explainFailure(error, { url, tokenSource: source }, refusals);
  }
}

/** @throws UsageError when the client refuses a value. */
function usable<Value>(make: () => Value, hint = ''): Value {
  try {
    return make();
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError([error.message + hint]);
    throw error;
  }
}

interface FoundToken {
  readonly token: string;
  /** Where it was found, for messages. */
  readonly source: string;
}

async function findToken(
  url: string,
  { tokenFile }: ConnectionFlags,
  { env, cwd }: CommandContext,
): Promise<FoundToken> {
  const { dataDir } = loadOptions(['dataDir'], {}, env);
  if (tokenFile !== undefined) return readToken(resolve(cwd, tokenFile), '--token-file');
  const given = readVariable(env, 'PLANT_STORE_TOKEN');
  if (given !== undefined) return { token: given, source: 'the variable PLANT_STORE_TOKEN' };
  const file = readVariable(env, 'PLANT_STORE_TOKEN_FILE');
  if (file !== undefined) return readToken(resolve(cwd, file), 'PLANT_STORE_TOKEN_FILE');
  // The first token can do everything: it is sent to another machine only if the user says so.
  const path = resolve(cwd, join(dataDir, 'initial-token'));
  if (!isThisMachine(url)) throw missingToken(`${path} is used for this machine only`);
  try {
    return { token: (await readFile(path, 'utf8')).trim(), source: path };
  } catch (error) {
    throw missingToken(`${path} cannot be read (${toSystemReason(error)})`);
  }
}

function missingToken(why: string): UsageError {
  return new UsageError([
    `Cannot find a token: --token-file, PLANT_STORE_TOKEN and PLANT_STORE_TOKEN_FILE are not set, and ${why}. Give the file initial-token of the service's data folder with --token-file, or create a token on its machine: plant-store token create --data-dir FOLDER --name NAME --scope plants:read plants:write`,
  ]);
}

/** @param setting what named the file. */
async function readToken(path: string, setting: string): Promise<FoundToken> {
  try {
    return { token: (await readFile(path, 'utf8')).trim(), source: `${path} (${setting})` };
  } catch (error) {
    throw new Error(`Cannot read the token from ${path}: ${toSystemReason(error)}`, { cause: error });
  }
}

function isThisMachine(url: string): boolean {
  return URL.canParse(url) && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);
}
