/** SQL of tokens on one connection, for the writer, the reader and the token commands. */
import type { DatabaseSync } from 'node:sqlite';
import { isScope, type TokenRecord, userIdPrefix } from '../../../domain/principal.ts';
import type { Reads, TokenReads } from '../../queued-store.ts';
import type { Result, TokenWrite } from '../../write.ts';
import { type SqlRow, toInteger, toOptionalInteger, toText } from './values.ts';

const columns = 'id, name, hash, scopes, created_at, expires_at, revoked_at, last_used_at, created_by';

export function prepareTokenReads(db: DatabaseSync): Reads<TokenReads> {
  const selectByHash = db.prepare(`SELECT ${columns} FROM tokens WHERE hash = ?`);
  const selectAll = db.prepare(`SELECT ${columns} FROM tokens ORDER BY created_at, rowid`);
  return {
    findByHash: (hash) => {
      const row = selectByHash.get(hash);
      return row === undefined ? undefined : toRecord(row);
    },
    list: () => selectAll.all().map(toRecord),
  };
}

/** Call each write inside a transaction. */
export function prepareWriteToken(db: DatabaseSync): (write: TokenWrite) => Result<TokenWrite> {
  const insert = db.prepare(`INSERT INTO tokens (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const selectCount = db.prepare(
    `SELECT count(*) AS tokens FROM tokens
     WHERE revoked_at IS NULL AND coalesce(expires_at > ?, true) AND id NOT LIKE '${userIdPrefix}%'`,
  );
  const selectAny = db.prepare('SELECT 1 FROM tokens LIMIT 1');
  const revoke = db.prepare('UPDATE tokens SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?');
  const touch = db.prepare('UPDATE tokens SET last_used_at = ? WHERE id = ?');
  return (write) => {
    switch (write.kind) {
      case 'insert-token': {
        if (write.onlyFirst && selectAny.get() !== undefined) return false;
        const { countMax } = write;
        const isFull = (max: number): boolean => toInteger(selectCount.get(write.token.createdAt)?.['tokens']) >= max;
        if (countMax !== undefined && isFull(countMax)) return false;
        const { id, name, hash, scopes, createdAt, createdBy = null, ...times } = write.token;
        const { expiresAt = null, revokedAt = null, lastUsedAt = null } = times;
        insert.run(id, name, hash, scopes.join(' '), createdAt, expiresAt, revokedAt, lastUsedAt, createdBy);
        return true;
      }
      case 'revoke-token':
        return revoke.run(write.revokedAt, write.id).changes === 1n;
      case 'touch-token':
        touch.run(write.usedAt, write.id);
        return 'touched';
    }
  };
}

/**
 * Marks the tokens that have ended, and removes tokens that cannot have changes in the log any
 * more. Not the first, without which the store would take its initial token again, nor users of a
 * provider, who could come in again. @param ageMsMax of changes.
 */
export function prepareSweepTokens(db: DatabaseSync): (served: number, ageMsMax: number) => void {
  const hasEnded = '(revoked_at IS NOT NULL OR coalesce(expires_at <= ?2, false))';
  // The clock may have gone back since.
  const markEnded = db.prepare(
    `UPDATE tokens SET ended = CASE WHEN ended IS NULL THEN ?1 END
     WHERE (ended IS NULL) = ${hasEnded} AND id NOT LIKE '${userIdPrefix}%'`,
  );
  const remove = db.prepare(
    `DELETE FROM tokens WHERE ended < (SELECT max(served) FROM change_ages WHERE served <= ?)
       AND rowid > (SELECT min(rowid) FROM tokens)`,
  );
  return (served, ageMsMax) => {
    markEnded.run(served, Date.now());
    remove.run(served - ageMsMax);
  };
}

function toRecord(row: SqlRow): TokenRecord {
  const [expiresAt, revokedAt, lastUsedAt] = [row['expires_at'], row['revoked_at'], row['last_used_at']].map(
    toOptionalInteger,
  );
  return {
    id: toText(row['id']),
    name: toText(row['name']),
    hash: toText(row['hash']),
    scopes: toText(row['scopes']).split(' ').filter(isScope),
    createdAt: Number(toInteger(row['created_at'])),
    ...(row['created_by'] === null ? {} : { createdBy: toText(row['created_by']) }),
    ...(expiresAt === undefined ? {} : { expiresAt: Number(expiresAt) }),
    ...(revokedAt === undefined ? {} : { revokedAt: Number(revokedAt) }),
    ...(lastUsedAt === undefined ? {} : { lastUsedAt: Number(lastUsedAt) }),
  };
}
