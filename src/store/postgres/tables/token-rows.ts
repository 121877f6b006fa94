/** The SQL of tokens. Transactions are not here. */
import { isScope, type TokenRecord, userIdPrefix } from '../../../domain/principal.ts';
import type { TokenReads } from '../../queued-store.ts';
import type { TokenWrite } from '../../write.ts';
import type { Connection, Rows, Statement } from '../connect/connection.ts';
import { canBeStored, type OnConnection, runStatement } from '../connect/statement.ts';

/** Longest time to look up a token, in milliseconds: a revoked one lives for a second at most. */
const findWithinMs = 500;

const columns = 'id, name, hash, scopes, created_at, expires_at, revoked_at, last_used_at, created_by';
const row = '$1, $2, $3, $4, $5::int8, $6::int8, $7::int8, $8::int8, $9';

const selectByHash: Statement = { name: 'find-token', text: `SELECT ${columns} FROM tokens WHERE hash = $1` };
const selectAll: Statement = {
  name: 'list-tokens',
  text: `SELECT ${columns} FROM tokens ORDER BY created_at, position`,
};

/** The guard says that there has been a token; one of two that insert it waits for the other. */
const insertToken: Statement = {
  name: 'insert-token',
  text: `WITH guard AS (INSERT INTO guards VALUES ('first-token') ON CONFLICT DO NOTHING)
    INSERT INTO tokens (${columns}) SELECT ${row} WHERE $10::int8 IS NULL OR (SELECT count(*) FROM tokens
      WHERE revoked_at IS NULL AND (expires_at > $5::int8) IS NOT FALSE AND id NOT LIKE '${userIdPrefix}%') < $10::int8`,
};
/** "PlnT" in ASCII. */
const counting = 0x506c6e54;
/** Whoever counts sees what other instances have inserted before. */
const lockCount: Statement = { name: 'lock-token-count', text: `SELECT pg_advisory_xact_lock(${counting})` };
const insertFirstToken: Statement = {
  name: 'insert-first-token',
  text: `WITH guard AS (INSERT INTO guards VALUES ('first-token') ON CONFLICT DO NOTHING RETURNING name)
    INSERT INTO tokens (${columns}) SELECT ${row} FROM guard`,
};
const revokeToken: Statement = {
  name: 'revoke-token',
  text: 'UPDATE tokens SET revoked_at = coalesce(revoked_at, $2::int8) WHERE id = $1',
};
const touchToken: Statement = {
  name: 'touch-token',
  text: 'UPDATE tokens SET last_used_at = $2::int8 WHERE id = $1 AND last_used_at IS DISTINCT FROM $2::int8',
};

/** Resolves to how many rows the write has changed: one or none. */
export async function writeToken(connection: Connection, write: TokenWrite, timeoutMs: number): Promise<number> {
  const run = async (statement: Statement, values: readonly unknown[]): Promise<number> =>
    (await connection.run(statement, values, timeoutMs)).rowCount;
  switch (write.kind) {
    case 'insert-token': {
      const values = toValues(write.token);
      if (write.onlyFirst) return run(insertFirstToken, values);
      const locked = write.countMax === undefined ? undefined : run(lockCount, []);
      const [inserted] = await Promise.all([run(insertToken, [...values, write.countMax ?? null]), locked]);
      return inserted;
    }
    case 'revoke-token':
      return canBeStored(write.id) ? run(revokeToken, [write.id, write.revokedAt]) : 0;
    case 'touch-token':
      return run(touchToken, [write.id, write.usedAt]);
  }
}

/** @param read runs a read. */
export function prepareTokenReads(read: OnConnection): TokenReads {
  return {
    findByHash: async (hash) => {
      const { rows } = await read((connection) => connection.run(selectByHash, [hash], findWithinMs));
      return rows[0] === undefined ? undefined : toRecord(rows[0]);
    },
    list: async () => (await runStatement(read, { statement: selectAll, values: [] })).map(toRecord),
  };
}

function toValues({ id, name, hash, scopes, createdAt, createdBy, ...times }: TokenRecord): readonly unknown[] {
  const { expiresAt = null, revokedAt = null, lastUsedAt = null } = times;
  return [id, name, hash, scopes.join(' '), createdAt, expiresAt, revokedAt, lastUsedAt, createdBy ?? null];
}

type TokenRow = readonly [
  ...[id: string, name: string, hash: string, scopes: string, createdAt: bigint],
  ...[expiresAt: bigint | null, revokedAt: bigint | null, lastUsedAt: bigint | null, createdBy: string | null],
];

function toRecord(values: Rows['rows'][number]): TokenRecord {
  const [id, name, hash, scopes, createdAt, expiresAt, revokedAt, lastUsedAt, createdBy] = values as TokenRow;
  return {
    id,
    name,
    hash,
    scopes: scopes.split(' ').filter(isScope),
    createdAt: Number(createdAt),
    ...(createdBy === null ? {} : { createdBy }),
    ...(expiresAt === null ? {} : { expiresAt: Number(expiresAt) }),
    ...(revokedAt === null ? {} : { revokedAt: Number(revokedAt) }),
    ...(lastUsedAt === null ? {} : { lastUsedAt: Number(lastUsedAt) }),
  };
}
