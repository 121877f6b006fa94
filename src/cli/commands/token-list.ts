/** `plant-store token list`: a table or JSON, without the tokens themselves and their hashes. */
import { stateOf, type TokenRecord } from '../../domain/principal.ts';
import { escapeUnsafe } from '../../json/to-json.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand } from '../inputs/add-command.ts';
import { type GivenLocation, toStoreOptions, withTokenStore } from '../inputs/store.ts';
import { toTable } from '../output/to-table.ts';
import { toIsoTime } from '../output/to-iso-time.ts';

interface Given extends GivenLocation {
  readonly json?: boolean;
}

export const tokenListCommand = defineCommand({
  name: 'list',
  summary: 'List the tokens',
  description: 'List the tokens in order of creation, expired and revoked ones too. Times are UTC.',
  options: [['--json', 'Write one JSON array instead of a table'], ...toStoreOptions()],
  examples: ['plant-store token list', 'plant-store token list --json --data-dir /var/lib/plant-store'],
  run: listTokens,
});

async function listTokens({ json = false, ...given }: Given, context: CommandContext): Promise<void> {
  const records = await withTokenStore(given, context, (tokens) => tokens.list());
  const now = context.now();
  if (json) {
    const shown = records.map((record) => toShown(record, now));
    context.stdout.write(`${escapeUnsafe(JSON.stringify(shown, undefined, 2))}\n`);
  } else if (records.length === 0) {
    context.stderr.write('No tokens found.\n');
  } else {
    context.stdout.write(toText(records, now, context.stdout.columns));
  }
}

/**
 * A table. On a terminal too narrow for it, times are days, and the scopes of a token and who
 * created it are a second line.
 */
function toText(records: readonly TokenRecord[], now: number, width: number | undefined): string {
  const rest = [
    ['SCOPES', 'CREATED BY'],
    ...records.map(({ scopes, createdBy = '-' }) => [scopes.join(' '), createdBy]),
  ];
  const rows = [
    ['ID', 'NAME', 'STATE', 'CREATED', 'EXPIRES', 'LAST USED'],
    ...records.map((record) => toRow(record, now)),
  ];
  const wide = rows.map((row, index) => row.toSpliced(3, 0, ...(rest[index] ?? [])));
  if (toTable(wide) === toTable(wide, { width })) return toTable(wide);
  const days = rows.map((row) => row.map((text, column) => (column < 3 ? text : text.replace(/T.*Z$/, ''))));
  return toTable(days, { width, uncut: [0, 2, 3, 4, 5] })
    .trimEnd()
    .split('\n')
    .map((line, index) => `${line}\n  ${rest[index]?.join('  ') ?? ''}\n`)
    .join('');
}

/** Without the scopes and the creator. The last use without seconds: it is known to the minute only. */
function toRow(record: TokenRecord, now: number): string[] {
  const { id, name, createdAt, expiresAt, lastUsedAt } = record;
  return [
    id,
    name,
    stateOf(record, now),
    toIsoTime(createdAt),
    expiresAt === undefined ? 'never' : toIsoTime(expiresAt),
    lastUsedAt === undefined ? 'never' : toIsoTime(lastUsedAt).replace(/:\d\dZ$/, 'Z'),
  ];
}

/** Converts a token for `--json`; leaves out a time that does not apply. */
function toShown(record: TokenRecord, now: number): Record<string, unknown> {
  const { id, name, scopes, createdAt, createdBy, expiresAt, revokedAt, lastUsedAt } = record;
  const time = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : toIsoTime(ms));
  return {
    id,
    name,
    state: stateOf(record, now),
    scopes,
    createdAt: time(createdAt),
    createdBy,
    expiresAt: time(expiresAt),
    revokedAt: time(revokedAt),
    // Known to the minute only, and yet never before the token was made.
    lastUsedAt: time(lastUsedAt === undefined ? undefined : Math.max(lastUsedAt, createdAt)),
  };
}
