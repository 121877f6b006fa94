/** `plant-store token create`: makes a token and shows it once. How a token is built is not here: auth/token.ts. */
import type { Command } from 'commander';
import { parseDuration } from '../../config/value-types.ts';
import { scopes } from '../../domain/principal.ts';
import type { Scope } from '../../domain/principal.ts';
import type { CommandContext } from '../command-context.ts';
import { addStoreLocation, type GivenLocation } from '../inputs/store-location.ts';
import { toTime } from '../output/to-time.ts';
import { UsageError } from '../usage-error.ts';
import { withTokenStore } from '../inputs/with-token-store.ts';

/** Characters: long enough for a sentence, short enough for one line of `token list`. */
const nameLengthMax = 100;
/** Ten years; a token that shall live longer has no `--expires`. */
const expiresMsMax = 3650 * 86_400_000;

interface Given extends GivenLocation {
  readonly name?: string;
  readonly scope?: readonly string[];
  readonly expires?: string;
}

export function addTokenCreate(token: Command, context: CommandContext): void {
  addStoreLocation(
    token
      .command('create')
      .description('Make a token. It is written to stdout, alone and only once; its id goes to stderr.')
      .option('--name <name>', 'What the token is for, for people (required)')
      .option('--scope <scope...>', `What it allows: ${scopes.join(', ')} (required, may be several)`)
      .option('--expires <duration>', 'Time until it expires, such as 12h or 90d (default: never)'),
  )
    .addHelpText(
      'after',
      `
Examples:
  plant-store token create --name ci --scope plants:write --expires 90d
  plant-store token create --name laptop --scope plants:read plants:write
  TOKEN=$(plant-store token create --name backup --scope plants:read)`,
    )
    .action((given: Given) => createToken(given, context));
}

async function createToken(given: Given, context: CommandContext): Promise<void> {
  const now = context.now();
  const wanted = parseWanted(given, now);
  await withTokenStore(given, context, async (tokens) => {
    const { issueToken } = await import('../../auth/token.ts');
    const { token, record } = issueToken({ ...wanted, now });
    await tokens.insert(record);
    context.stdout.write(`${token}\n`);
    const expiry = record.expiresAt === undefined ? 'It never expires' : `It expires at ${toTime(record.expiresAt)}`;
    context.stderr.write(
      `Made token ${record.id} with ${record.scopes.join(', ')}. ${expiry}. It cannot be shown again: keep it in a safe place.\n`,
    );
  });
}

/** @throws UsageError with every fault at once. */
function parseWanted(given: Given, now: number): { name: string; scopes: readonly Scope[]; expiresAt?: number } {
  const faults: string[] = [];
  const { name, scope = [], expires } = given;
  if (name === undefined) faults.push('Cannot create token: --name is missing');
  else if (name === '' || Array.from(name).length > nameLengthMax || /\p{Cc}/u.test(name)) {
    faults.push(
      `Cannot create token: --name must be 1 to ${String(nameLengthMax)} characters without control characters`,
    );
  }
  if (scope.length === 0)
    faults.push(`Cannot create token: --scope is missing: give one or more of ${scopes.join(', ')}`);
  else if (!scope.every(isScope)) {
    const spelling = scope.some((text) => text.includes(',')) ? '; write --scope plants:read plants:write' : '';
    faults.push(`Cannot create token: --scope must be one or more of ${scopes.join(', ')}${spelling}`);
  }
  const expiresMs = expires === undefined ? undefined : parseDuration(expires);
  if (expires !== undefined && !(expiresMs !== undefined && expiresMs > 0 && expiresMs <= expiresMsMax)) {
    faults.push('Cannot create token: --expires must be a duration of at most 3650d, such as 12h or 90d');
  }
  if (name === undefined || faults.length > 0) throw new UsageError(faults);
  return {
    name,
    scopes: scopes.filter((known) => scope.includes(known)),
    ...(expiresMs === undefined ? {} : { expiresAt: now + expiresMs }),
  };
}

function isScope(text: string): text is Scope {
  return scopes.some((scope) => scope === text);
}
