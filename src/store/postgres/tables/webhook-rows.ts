/** The SQL of webhooks, their deliveries, and the lease of the instance that delivers. */
import { deliveriesMax, deliveryAgeMsMax, webhooksMax, type WebhookRecord } from '../../../domain/webhooks.ts';
import type { WebhookLease, WebhookReads } from '../../queued-store.ts';
import {
  byCreation,
  fromDeliveryDocument,
  fromWebhookRow,
  toDeliveryDocument,
  toProgressDocument,
  toSettingsDocument,
} from '../../webhook-documents.ts';
import type { WebhookWrite } from '../../write.ts';
import type { Connection, Rows, Statement } from '../connect/connection.ts';
import { canBeStored, type OnConnection, runStatement, readWithinMs, writeWithinMs } from '../connect/statement.ts';

const webhookRows = `SELECT version, w.document, step, p.document
  FROM webhooks AS w JOIN webhook_progress AS p ON p.webhook = w.id`;
const selectAll: Statement = { name: 'list-webhooks', text: webhookRows };
const selectOne: Statement = { name: 'find-webhook', text: `${webhookRows} WHERE w.id = $1` };
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
  text: `WITH inserted AS (
      INSERT INTO webhooks SELECT $1, $2::int8, $3 WHERE (SELECT count(*) FROM webhooks) < ${webhooksMax} RETURNING id
    ), begun AS (
      INSERT INTO webhook_progress SELECT id, $4::int8, $5 FROM inserted
    )
    SELECT FROM inserted`,
};
const saveSettings: Statement = {
  name: 'save-webhook-settings',
  text: 'UPDATE webhooks SET version = version + 1, document = $3 WHERE id = $1 AND version = $2::int8',
};
const upsertProgress = `INSERT INTO webhook_progress SELECT id, $2::int8 + 1, $3 FROM webhooks WHERE id = $1
  ON CONFLICT (webhook) DO UPDATE SET step = excluded.step, document = excluded.document
  WHERE webhook_progress.step = $2::int8`;
const saveProgress: Statement = { name: 'save-webhook-progress', text: upsertProgress };
/**
 * A delivery that a retry has delivered stays so. Two of the oldest go for each new one: the
 * rest follows with the next. A delivery that waits is still needed.
 */
const saveDelivery: Statement = {
  name: 'save-delivery',
  text: `WITH saved AS (${upsertProgress} RETURNING webhook AS id), kept AS (
      INSERT INTO webhook_deliveries SELECT saved.id, $4::int8, $5, served, $6 FROM saved, change_log
      ON CONFLICT (webhook, number) DO UPDATE SET served = excluded.served, document = excluded.document
      WHERE webhook_deliveries.document::json ->> 'status' <> 'delivered'
    ), removed AS (
      DELETE FROM webhook_deliveries USING saved WHERE webhook = saved.id AND number IN (
        SELECT number FROM webhook_deliveries WHERE webhook = $1 ORDER BY number LIMIT 2
      ) AND number <> $4::int8 AND webhook_deliveries.id <> $8 AND (number <= $7::int8 OR served < (SELECT served - ${deliveryAgeMsMax} FROM change_log))
    )
    SELECT FROM saved`,
};
const replaceDelivery: Statement = {
  name: 'replace-delivery',
  text: 'UPDATE webhook_deliveries SET document = $4 WHERE webhook = $1 AND number = $2::int8 AND document = $3',
};
const deleteWebhook: Statement = { name: 'delete-webhook', text: 'DELETE FROM webhooks WHERE id = $1' };
/** The end of a lease that begins now. */
const leaseEnd = "clock_timestamp() + $2::int8 * interval '1 millisecond'";
/** A lease that ends later is from before the clock was set back: nobody may have it any more. */
const takeLease: Statement = {
  name: 'take-webhook-lease',
  text: `UPDATE delivery_lease SET owner = $1, until = ${leaseEnd}
    WHERE owner = $1 OR until NOT BETWEEN clock_timestamp() AND ${leaseEnd}`,
};
const releaseLease: Statement = {
  name: 'release-webhook-lease',
  text: `UPDATE delivery_lease SET until = '-infinity' WHERE owner = $1`,
};

/** Resolves to the number of webhooks that the write has changed: one or none. */
export async function writeWebhook(connection: Connection, write: WebhookWrite): Promise<number> {
  const run = async (statement: Statement, values: readonly unknown[]): Promise<number> =>
    (await connection.run(statement, values, writeWithinMs)).rowCount;
  switch (write.kind) {
    case 'insert-webhook': {
      const { settings, progress } = write.webhook;
      const { id, version } = settings;
      return run(insertWebhook, [
        ...[id, version, toSettingsDocument(settings)],
        ...[progress.step, toProgressDocument(progress)],
      ]);
    }
    case 'save-settings': {
      const { id, version } = write.settings;
      return run(saveSettings, [id, version, toSettingsDocument(write.settings)]);
    }
    case 'save-progress': {
      const { webhook, progress, delivery } = write;
      const row = [webhook, progress.step, toProgressDocument(progress)];
      if (delivery === undefined) return run(saveProgress, row);
      const { number, id } = delivery;
      const kept = [number, id, toDeliveryDocument(delivery)];
      return run(saveDelivery, [...row, ...kept, progress.deliveries - deliveriesMax, progress.waiting ?? '']);
    }
    case 'replace-delivery': {
      const { webhook, from, to } = write;
      return run(replaceDelivery, [webhook, from.number, toDeliveryDocument(from), toDeliveryDocument(to)]);
    }
    case 'delete-webhook':
      return canBeStored(write.id) ? run(deleteWebhook, [write.id]) : 0;
  }
}

/** @param read runs a read. */
export function prepareWebhookReads(read: OnConnection): WebhookReads {
  const rowsOf = async (statement: Statement, values: readonly unknown[]): Promise<Rows['rows']> =>
    values.every(canBeStored) ? runStatement(read, { statement, values }) : [];
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
export function prepareWebhookLease(run: OnConnection): WebhookLease {
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

function toWebhook([version, settings, step, progress]: Rows['rows'][number]): WebhookRecord {
  return fromWebhookRow({
    version: Number(version),
    settings: settings as string,
    step: Number(step),
    progress: progress as string,
  });
}
