/** `plant-store token create`: creates a token and shows it once. */
import { UsageError } from '../../config/usage-error.ts';
import { parseDuration } from '../../config/value-types.ts';
import { isReadable, isScope, type Scope, scopes } from '../../domain/principal.ts';
import { toJson } from '../../json/to-json.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand } from '../inputs/add-command.ts';
import { type GivenLocation, toStoreOptions, withTokenStore } from '../inputs/store.ts';
import { toIsoTime } from '../output/to-iso-time.ts';

/** Characters: long enough for a sentence, short enough for one line of `token list`. */
const nameLengthMax = 100;
/** Ten years. For longer, omit `--expires`. */
const expiresMsMax = 3650 * 86_400_000;

interface Given extends GivenLocation {
  readonly name?: string;
  readonly scope?: readonly string[];
  readonly expires?: string;
  readonly json?: boolean;
}

export const tokenCreateCommand = defineCommand({
  name: 'create',
  summary: 'Create a token',
  description: 'Create a token. Prints the token to stdout (shown only once) and its id to stderr.',
  options: [
    ['--name <name>', 'A name to recognise the token by (required)'],
    ['--scope <scope...>', `What it allows: ${scopes.join(', ')} (required, one or more)`],
    ['--expires <duration>', 'Time until it expires, such as 12h or 90d (default: never)'],
    ['--json', 'Write one JSON object with the token'],
    ...toStoreOptions(),
  ],
  examples: [
    'plant-store token create --name ci --scope plants:write --expires 90d',
    'plant-store token create --name laptop --scope plants:read plants:write --data-dir /var/lib/plant-store',
    'TOKEN=$(plant-store token create --name backup --scope plants:read)',
  ],
  run: createToken,
});

async function createToken(given: Given, context: CommandContext): Promise<void> {
  const now = context.now();
  const wanted = parseWanted(given, now);
  await withTokenStore(given, context, async (tokens) => {
    const { issueToken } = await import('../../auth/token.ts');
    const { token, record } = issueToken({ ...wanted, now });
    await tokens.insert(record);
    if (given.json === true) {
      const { id, name, scopes, createdAt, expiresAt } = record;
      const times = {
        createdAt: toIsoTime(createdAt),
        expiresAt: expiresAt === undefined ? undefined : toIsoTime(expiresAt),
      };
      context.stdout.write(`${toJson({ token, id, name, scopes, ...times })}\n`);
      return;
    }
    context.stdout.write(`${token}\n`);
    const expiry = record.expiresAt === undefined ? 'It never expires' : `It expires at ${toIsoTime(record.expiresAt)}`;
    context.stderr.write(
      `Created token ${record.id} with ${record.scopes.join(', ')}. ${expiry}. It cannot be shown again: keep it in a safe place.\n`,
    );
  });
}

/** @throws UsageError with all errors at once. */
function parseWanted(given: Given, now: number): { name: string; scopes: readonly Scope[]; expiresAt?: number } {
  const problems: string[] = [];
  const { name, scope = [], expires } = given;
  if (name === undefined) problems.push('Cannot create token: --name is missing');
  else if (name === '' || Array.from(name).length > nameLengthMax || !isReadable(name)) {
    problems.push(
      `Cannot create token: --name must be 1 to ${String(nameLengthMax)} characters without control or invisible characters`,
    );
  }
  if (scope.length === 0)
    problems.push(`Cannot create token: --scope is missing: give one or more of ${scopes.join(', ')}`);
  else if (!scope.every(isScope)) {
    const spelling = scope.some((text) => text.includes(',')) ? '; write --scope plants:read plants:write' : '';
    problems.push(`Cannot create token: --scope must be one or more of ${scopes.join(', ')}${spelling}`);
  }
  const expiresMs = expires === undefined ? undefined : parseDuration(expires);
  if (expires !== undefined && !(expiresMs !== undefined && expiresMs > 0 && expiresMs <= expiresMsMax)) {
    problems.push('Cannot create token: --expires must be a duration of at most 3650d, such as 12h or 90d');
  }
  if (name === undefined || problems.length > 0) throw new UsageError(...problems);
  return {
    name,
    scopes: scopes.filter((known) => scope.includes(known)),
    ...(expiresMs === undefined ? {} : { expiresAt: now + expiresMs }),
  };
}
