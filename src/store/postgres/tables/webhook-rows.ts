/** The SQL of webhooks, their deliveries, and the lease of the instance that delivers. Transactions are not here. */
import { deliveriesMax, deliveryAgeMsMax, webhooksMax, type WebhookRecord } from '../../../domain/webhooks.ts';
import type { WebhookLease, WebhookReads } from '../../queued-store.ts';
import {
  byCreation,
  fromDeliveryDocument,
  fromWebhookDocument,
  toDeliveryDocument,
  toWebhookDocument,
} from '../../webhook-documents.ts';
import type { WebhookWrite } from '../../write.ts';
import type { Connection, Rows, Statement } from '../connection.ts';
import { type OnConnection, runQuery, readWithinMs } from '../query.ts';
import { nowMs } from './change-rows.ts';
import { writeWithinMs } from './plant-writes.ts';

const selectAll: Statement = { name: 'list-webhooks', text: 'SELECT version, document FROM webhooks' };
const selectOne: Statement = { name: 'find-webhook', text: 'SELECT version, document FROM webhooks WHERE id = $1' };
const selectDeliveries: Statement = {
  name: 'list-deliveries',
  text: 'SELECT document FROM webhook_deliveries WHERE webhook = $1 ORDER BY number DESC LIMIT $2',
};
const selectDelivery: Statement = {
  name: 'find-delivery',
  text: 'SELECT document FROM webhook_deliveries WHERE webhook = $1 AND id = $2',
};
const insertWebhook: Statement = {
  name: 'insert-webhook',
  text: `INSERT INTO webhooks SELECT $1, $2::int8, $3 WHERE (SELECT count(*) FROM webhooks) < ${webhooksMax}`,
};
const saveWebhook: Statement = {
  name: 'save-webhook',
  text: 'UPDATE webhooks SET version = version + 1, document = $3 WHERE id = $1 AND version = $2::int8',
};
/**
 * Two of the oldest deliveries go for each new one: the rest follows with the next. The one that waits is still needed. Their age is by the
 * clock of the server: an instance whose clock is ahead would remove all.
 */
const saveDelivery: Statement = {
  name: 'save-delivery',
  text: `WITH saved AS (
      UPDATE webhooks SET version = version + 1, document = $3 WHERE id = $1 AND version = $2::int8 RETURNING id
    ), kept AS (
      INSERT INTO webhook_deliveries SELECT id, $4::int8, $5, $6::int8, $7 FROM saved
      ON CONFLICT (webhook, number) DO UPDATE SET at = excluded.at, document = excluded.document
    ), removed AS (
      DELETE FROM webhook_deliveries USING saved WHERE webhook = saved.id AND number IN (
        SELECT number FROM webhook_deliveries WHERE webhook = $1 ORDER BY number LIMIT 2
      ) AND number <> $4::int8 AND webhook_deliveries.id <> $9 AND (number <= $8::int8 OR at < ${nowMs} - ${deliveryAgeMsMax})
    )
    SELECT FROM saved`,
};
const deleteWebhook: Statement = { name: 'delete-webhook', text: 'DELETE FROM webhooks WHERE id = $1' };
/** The end of a lease that begins now. */
const leaseEnd = "clock_timestamp() + $2::int8 * interval '1 millisecond'";
/** One that ends later than that is from before the clock was set back: nobody may have it any more. */
const takeLease: Statement = {
  name: 'take-webhook-lease',
  text: `UPDATE webhook_lease SET owner = $1, until = ${leaseEnd}
    WHERE owner = $1 OR until NOT BETWEEN clock_timestamp() AND ${leaseEnd}`,
};
const releaseLease: Statement = {
  name: 'release-webhook-lease',
  text: `UPDATE webhook_lease SET until = '-infinity' WHERE owner = $1`,
};

/** Resolves to the number of webhooks that the write has changed: one or none. */
export async function writeWebhook(connection: Connection, write: WebhookWrite): Promise<number> {
  const run = async (statement: Statement, values: readonly unknown[]): Promise<number> =>
    (await connection.run(statement, values, writeWithinMs)).rowCount;
  if (write.kind === 'delete-webhook') return canBeStored(write.id) ? run(deleteWebhook, [write.id]) : 0;
  const { webhook } = write;
  const row = [webhook.id, webhook.version, toWebhookDocument(webhook)];
  if (write.kind === 'insert-webhook') return run(insertWebhook, row);
  const { delivery } = write;
  if (delivery === undefined) return run(saveWebhook, row);
  const { number, id, lastAttemptAt } = delivery;
  const kept = [number, id, lastAttemptAt, toDeliveryDocument(delivery)];
  const { deliveries, waiting = '' } = webhook;
  return run(saveDelivery, [...row, ...kept, deliveries - deliveriesMax, waiting]);
}

/** @param read runs a read. */
export function webhookReadsOn(read: OnConnection): WebhookReads {
  const rowsOf = async (statement: Statement, values: readonly unknown[]): Promise<Rows['rows']> =>
    values.every(canBeStored) ? runQuery(read, { statement, values }) : [];
  return {
    list: async () => (await rowsOf(selectAll, [])).map(toWebhook).sort(byCreation),
    find: async (id) => {
      const [row] = await rowsOf(selectOne, [id]);
      return row === undefined ? undefined : toWebhook(row);
    },
    listDeliveries: async (webhook, limit) =>
      (await rowsOf(selectDeliveries, [webhook, limit])).map(([document]) => fromDeliveryDocument(document as string)),
    findDelivery: async (webhook, id) => {
      const [row] = await rowsOf(selectDelivery, [webhook, id]);
      return row === undefined ? undefined : fromDeliveryDocument(row[0] as string);
    },
  };
}

/** @param run runs a statement that may be lost: a lease that is lost is taken again. */
export function webhookLeaseOn(run: OnConnection): WebhookLease {
  return {
    lease: async (owner, durationMs) => {
      const { rowCount } = await run((connection) => connection.run(takeLease, [owner, durationMs], readWithinMs));
      return rowCount === 1;
    },
    release: async (owner) => {
      await run((connection) => connection.run(releaseLease, [owner], readWithinMs));
    },
  };
}

/** The server refuses U+0000, so no row has it. */
function canBeStored(value: unknown): boolean {
  return typeof value !== 'string' || !value.includes('\0');
}

function toWebhook([version, document]: Rows['rows'][number]): WebhookRecord {
  return fromWebhookDocument(document as string, Number(version));
}
