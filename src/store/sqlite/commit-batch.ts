/**
 * Commits one batch of writes as one transaction. Runs on the writer thread; does not handle thread
 * messages or the WAL.
 */
import type { DatabaseSync } from 'node:sqlite';
import { type TrimBounds, trimmedMax } from '../change-trimmer.ts';
import type { Outcome, Write } from '../write.ts';
import { StoreError, toErrorCode } from './error-code.ts';
import { prepareRemoveOldest } from './tables/change-writes.ts';
import { type PlantWrites, preparePlantWrites } from './tables/plant-writes.ts';
import { prepareTokenWrites, type TokenWrites } from './tables/token-rows.ts';
import { prepareWebhookWrites, type WebhookWrites } from './tables/webhook-rows.ts';

/**
 * Commits the writes in order and returns one outcome for each. Refuses a write with `internal` if
 * our code fails on it; commits the others. Throws what SQLite throws otherwise: nothing is stored
 * then, or `toErrorCode` says that it is unknown.
 */
export type Commit = (writes: readonly Write[]) => Outcome[];

/** @throws Error if a statement does not match the schema. */
export function prepareCommit(db: DatabaseSync): Commit {
  const plants = preparePlantWrites(db);
  const tokens = prepareTokenWrites(db);
  const webhooks = prepareWebhookWrites(db);
  const transact = prepareTransaction(db);
  const commit: Commit = (writes) => {
    try {
      return transact(() => {
        const outcomes = writes.map((write) => apply(write, plants, tokens, webhooks));
        plants.finish();
        return outcomes;
      });
    } catch (error) {
      plants.reset();
      throw error;
    }
  };
  /** Commits one write; refuses it on failure, unless the state on disk is unknown. */
  const commitAlone = (write: Write): Outcome[] => {
    try {
      return commit([write]);
    } catch (error) {
      const code = toErrorCode(error);
      if (code === 'store_failed') throw error;
      return [{ refused: code, reason: toReason(error) }];
    }
  };
  return (writes) => {
    try {
      return commit(writes);
    } catch (error) {
      if (toErrorCode(error) !== 'internal') throw error;
      // One write triggers a bug of ours; commit the others without it.
      return writes.flatMap(commitAlone);
    }
  };
}

/** Removes the oldest changes beyond the bounds; returns whether there may be more to remove. */
export type Trim = (bounds: TrimBounds) => boolean;

/** @throws Error if a statement does not match the schema. */
export function prepareTrim(db: DatabaseSync): Trim {
  const transact = prepareTransaction(db);
  const removeOldest = prepareRemoveOldest(db);
  return (bounds) => transact(() => removeOldest(bounds) === trimmedMax);
}

/** Runs work as one transaction, which is rolled back if the work or the commit throws. */
function prepareTransaction(db: DatabaseSync): <Result>(work: () => Result) => Result {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const end = db.prepare('COMMIT');
  return (work) => {
    begin.run();
    try {
      const result = work();
      end.run();
      return result;
    } catch (error) {
      rollBack(db);
      throw error;
    }
  };
}

/**
 * @throws StoreError `store_failed` if the transaction cannot be ended; the connection is unusable
 * then.
 */
function rollBack(db: DatabaseSync): void {
  try {
    // SQLite rolls back by itself after some errors.
    if (db.isTransaction) db.exec('ROLLBACK');
  } catch (cause) {
    throw new StoreError('store_failed', 'Cannot roll back the transaction', { cause });
  }
}

/** Returns the message of an error: the only part that crosses threads. */
export function toReason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function apply(write: Write, plants: PlantWrites, tokens: TokenWrites, webhooks: WebhookWrites): Outcome {
  switch (write.kind) {
    case 'create':
      return plants.create(write.plant, write.by);
    case 'put':
      return plants.put(write.plant, write.condition, write.by);
    case 'patch':
      return plants.patch(write.id, write.patch, write.condition, write.by);
    case 'delete':
      return plants.delete(write.id, write.condition, write.by);
    case 'import':
      return plants.import(write.rows, write.options, write.by);
    case 'insert-token':
      if (write.onlyFirst) return tokens.insertFirst(write.token);
      tokens.insert(write.token);
      return true;
    case 'revoke-token':
      return tokens.revoke(write.id, write.revokedAt);
    case 'touch-token':
      tokens.touch(write.id, write.usedAt);
      return 'touched';
    case 'insert-webhook':
      return webhooks.insert(write.webhook);
    case 'save-webhook':
      return webhooks.save(write.webhook, write.delivery, write.oldestAt);
    case 'delete-webhook':
      return webhooks.delete(write.id);
  }
}
