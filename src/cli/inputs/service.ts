/** How a command reaches a running service: address, token, and what to do about a failure. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ClientOptions, PlantClient } from '../../client/client.ts';
import { ConnectionError, PlantStoreError } from '../../client/errors.ts';
import { codeOf, findAddressProblem } from '../../client/node-failures.ts';
import { mayHaveBeenExecuted } from '../../client/retry.ts';
import { loadOptions, readVariable } from '../../config/load-config.ts';
import { UsageError } from '../../config/usage-error.ts';
import { errors } from '../../domain/error-registry.ts';
import { toSystemReason } from '../../system/system-error.ts';
import type { CommandContext } from '../command-context.ts';
import type { OptionText } from './add-command.ts';

/** What `serviceOptions` give. */
export interface ServiceFlags {
  readonly url?: string;
  readonly tokenFile?: string;
}

/** Where `serve` listens by default: for a given token, if no service runs on the data folder. */
const urlDefault = 'http://127.0.0.1:3000';

export const serviceOptions: readonly OptionText[] = [
  [
    '--url <url>',
    `Address of the service (env: PLANT_STORE_URL, default: that of the service that runs on the data folder, else ${urlDefault})`,
  ],
  [
    '--token-file <path>',
    'File with the token (env: PLANT_STORE_TOKEN with the token itself, or PLANT_STORE_TOKEN_FILE; default: initial-token in the data folder, for the service that runs on it)',
  ],
];

/**
 * Resolves to what `use` resolves to; `explain` is for errors that do not end it.
 * @throws UsageError for an address or a token that cannot be one, or when there is no token;
 * Error for what the service refuses, with its number or as in `refusals`.
 */
export async function withClient<Result>(
  flags: ServiceFlags,
  context: CommandContext,
  use: (client: PlantClient, explain: (error: unknown) => unknown) => Promise<Result>,
  { refusals = {}, ...options }: Pick<ClientOptions, 'retries' | 'onRetry'> & { readonly refusals?: Refusals } = {},
): Promise<Result> {
  const { dataDir } = loadOptions(['dataDir'], {}, context.env);
  const folder = resolve(context.cwd, dataDir);
  const given = flags.url ?? readVariable(context.env, 'PLANT_STORE_URL');
  // Loaded late: help does not need it.
  const { findServiceAddress } = await import('../../store/store-files.ts');
  const found = findServiceAddress(folder);
  const url = given ?? found ?? urlDefault;
  const { PlantClient } = await import('../../client/client.ts');
  const { toBase } = await import('../../client/requests.ts');
  // First: which token is used depends on the address.
  usable(() => toBase(url), `; it comes from ${flags.url === undefined ? 'the variable PLANT_STORE_URL' : '--url'}`);
  const { token, source } = await findToken({ given, found, folder }, flags, context);
  const client = usable(() => new PlantClient({ ...options, url, token }), `; it comes from ${source}`);
  const explain = (error: unknown): unknown => explainFailure(error, { url, tokenSource: source }, refusals);
  try {
    return await use(client, explain);
  } catch (error) {
    throw explain(error);
  }
}

/** @throws UsageError when the client refuses a value. */
function usable<Value>(make: () => Value, hint = ''): Value {
  try {
    return make();
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message + hint);
    throw error;
  }
}

interface FoundToken {
  readonly token: string;
  /** Where it was found, for messages. */
  readonly source: string;
}

interface Target {
  /** The address that the user has named. */
  readonly given: string | undefined;
  /** The address of the service that runs on the folder. */
  readonly found: string | undefined;
  readonly folder: string;
}

async function findToken(
  { given: url, found, folder }: Target,
  { tokenFile }: ServiceFlags,
  { env, cwd }: CommandContext,
): Promise<FoundToken> {
  if (tokenFile !== undefined) return readToken(resolve(cwd, tokenFile), '--token-file');
  const given = readVariable(env, 'PLANT_STORE_TOKEN');
  if (given !== undefined) return { token: given, source: 'the variable PLANT_STORE_TOKEN' };
  const file = readVariable(env, 'PLANT_STORE_TOKEN_FILE');
  if (file !== undefined) return readToken(resolve(cwd, file), 'PLANT_STORE_TOKEN_FILE');
  const path = join(folder, 'initial-token');
  const token = await readFile(path, 'utf8').catch((error: unknown) => {
    throw missingToken(`${path} cannot be read (${toSystemReason(error)})`);
  });
  if (url === undefined && found === undefined)
    throw new Error(
      `Cannot find the service of the data folder ${folder}: it is not running. "plant-store serve" starts it; --url names another address`,
    );
  // The first token can do everything, and another program may listen at any other address.
  if (url !== undefined && (found === undefined || new URL(url).origin !== new URL(found).origin))
    throw missingToken(
      `${path} is sent only to the service that runs on this folder (${found ?? 'it is not running'})`,
    );
  return { token: token.trim(), source: path };
}

function missingToken(why: string): UsageError {
  return new UsageError(
    `Cannot find a token: --token-file, PLANT_STORE_TOKEN and PLANT_STORE_TOKEN_FILE are not set, and ${why}. For a sandbox, set PLANT_STORE_TOKEN to any name such as sandbox-my-first-space. Otherwise give the file initial-token of the service's data folder with --token-file, or create a token on its machine: plant-store token create --data-dir FOLDER --name NAME --scope plants:read plants:write`,
  );
}

/** @param setting what named the file. */
async function readToken(path: string, setting: string): Promise<FoundToken> {
  try {
    return { token: (await readFile(path, 'utf8')).trim(), source: `${path} (${setting})` };
  } catch (error) {
    throw new Error(`Cannot read the token from ${path}: ${toSystemReason(error)}`, { cause: error });
  }
}

/** A command's own message for what the service refuses, by the number of the error. */
type Refusals = Readonly<Record<number, string>>;

/** @param tokenSource where the token comes from. */
function explainFailure(
  error: unknown,
  { url, tokenSource }: { readonly url: string; readonly tokenSource: string },
  refusals: Refusals,
): unknown {
  if (error instanceof ConnectionError)
    return new ConnectionError(error.kind, error.message + toConnectionHint(error, url), error.cause, error.hasBegun);
  if (!(error instanceof PlantStoreError)) return error;
  const hint = toRefusalHint(error, url, tokenSource);
  return new Error(withNumber(refusals[error.number] ?? error.message + hint, error.number), { cause: error });
}

function toRefusalHint({ number, status, message }: PlantStoreError, url: string, tokenSource: string): string {
  if (number === errors.path_unknown.number) return `: does the address of --url include the base path? It is ${url}`;
  // Another program has answered. A proxy may have answered with 413.
  if (number === status * 100 && status !== 413) return '; --url names another address';
  if (number !== errors.token_invalid.number) return '';
  // A sandbox says itself which tokens it takes.
  return message === errors.token_invalid.message
    ? ` for ${url}: it comes from ${tokenSource}. On the machine of the service, "plant-store token list" shows the tokens, and "plant-store token create" makes one`
    : `. The address is ${url}; the token comes from ${tokenSource}`;
}

/** The number of the service is in every message about what it refused: it can be looked up. */
function withNumber(message: string, number: number): string {
  return `${message} (error ${number})`;
}

/** For a plant that the client did not find. */
export function toAbsent(verb: string, id: bigint): string {
  return withNumber(`Cannot ${verb} plant ${id}: no plant has this id`, errors.plant_unknown.number);
}

function toConnectionHint(error: ConnectionError, url: string): string {
  const problem = findAddressProblem(error.cause);
  if (problem === 'untrusted')
    return '. Set NODE_EXTRA_CA_CERTS to the file with the certificate of the CA that signed it';
  if (problem === 'port') return '. HTTP clients refuse this port: use another one';
  if (problem !== undefined) return '';
  // The message of a failed connection has the address.
  if (error.kind !== 'network')
    return error.message.includes(url) ? '' : `. The address is ${url}; --url names another`;
  if (!mayHaveBeenExecuted(error, 'harmless'))
    return '. It may not be running: "plant-store serve" or "plant-store demo" starts one; --url names another address';
  // A service that has begun to answer is at this address.
  const isClosed = !error.hasBegun && ['UND_ERR_SOCKET', 'ECONNRESET'].includes(codeOf(error.cause) ?? '');
  return isClosed && /^http:/i.test(url) ? '. If the service uses TLS, its address begins with https://' : '';
}

/** Whether there surely was no connection. */
export function isUnreached(error: unknown): error is ConnectionError {
  return error instanceof ConnectionError && !mayHaveBeenExecuted(error, 'harmless');
}

/** For commands that change a plant: the service speaks of header fields, which nobody typed. */
export function toRefusals(command: 'put' | 'patch', id: bigint, ifMatch: string | undefined): Refusals {
  const toMessage = (reason: string): string => `Cannot ${command} plant ${id}: ${reason}`;
  const absent = toMessage('no plant has this id');
  const changed = toMessage(`it was changed or deleted since that version; read it again with "plant-store get ${id}"`);
  const unmet = ifMatch === undefined ? toMessage('it exists already') : ifMatch === '*' ? absent : changed;
  return { [errors.plant_unknown.number]: absent, [errors.precondition_failed.number]: unmet };
}
