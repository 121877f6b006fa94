/** The SQL of tokens on one connection, for the writer thread, the reader and the token commands alike. Transactions are not here. */
import type { DatabaseSync } from 'node:sqlite';
import type { Scope, TokenRecord } from '../../../domain/principal.ts';

/** The prepared reads. */
export interface TokenReads {
  readonly findByHash: (hash: string) => TokenRecord | undefined;
  readonly list: () => TokenRecord[];
}

/** The prepared writes; each belongs inside a transaction. */
export interface TokenWrites {
  readonly insert: (token: TokenRecord) => void;
  /** Whether it was stored: it is not when any token is stored already. */
  readonly insertFirst: (token: TokenRecord) => boolean;
  /** Whether a token has this id. */
  readonly revoke: (id: string, revokedAt: number) => boolean;
  readonly touch: (id: string, usedAt: number) => void;
}

const columns = 'id, name, hash, scopes, created_at, expires_at, revoked_at, last_used_at';

export function prepareTokenReads(db: DatabaseSync): TokenReads {
  const selectByHash = db.prepare(`SELECT ${columns} FROM tokens WHERE hash = ?`);
  const selectAll = db.prepare(`SELECT ${columns} FROM tokens ORDER BY created_at, rowid`);
  return {
    findByHash: (hash) => {
      const row = selectByHash.get(hash);
      return row === undefined ? undefined : toRecord(row as unknown as TokenRow);
    },
    list: () => selectAll.all().map((row) => toRecord(row as unknown as TokenRow)),
  };
}

export function prepareTokenWrites(db: DatabaseSync): TokenWrites {
  const insert = db.prepare(`INSERT INTO tokens (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  const selectAny = db.prepare('SELECT 1 FROM tokens LIMIT 1');
  const revoke = db.prepare('UPDATE tokens SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?');
  const touch = db.prepare('UPDATE tokens SET last_used_at = ? WHERE id = ?');
  const insertToken = (token: TokenRecord): void => {
    const { id, name, hash, scopes, createdAt, expiresAt, revokedAt, lastUsedAt } = token;
    insert.run(id, name, hash, scopes.join(' '), createdAt, expiresAt ?? null, revokedAt ?? null, lastUsedAt ?? null);
  };
  return {
    insert: insertToken,
    insertFirst: (token) => {
      if (selectAny.get() !== undefined) return false;
      insertToken(token);
      return true;
    },
    revoke: (id, revokedAt) => revoke.run(revokedAt, id).changes === 1n,
    touch: (id, usedAt) => {
      touch.run(usedAt, id);
    },
  };
}

interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly hash: string;
  readonly scopes: string;
  readonly created_at: bigint;
  readonly expires_at: bigint | null;
  readonly revoked_at: bigint | null;
  readonly last_used_at: bigint | null;
}

function toRecord(row: TokenRow): TokenRecord {
  return {
    id: row.id,
    name: row.name,
    hash: row.hash,
    scopes: row.scopes.split(' ') as Scope[],
    createdAt: Number(row.created_at),
    ...(row.expires_at === null ? {} : { expiresAt: Number(row.expires_at) }),
    ...(row.revoked_at === null ? {} : { revokedAt: Number(row.revoked_at) }),
    ...(row.last_used_at === null ? {} : { lastUsedAt: Number(row.last_used_at) }),
  };
}
