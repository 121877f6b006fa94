/** SQL of webhooks and their deliveries on one connection. Transactions are not here. */
import type { DatabaseSync } from 'node:sqlite';
import {
  deliveriesMax,
  deliveryAgeMsMax,
  type DeliveryRecord,
  type WebhookRecord,
  webhooksMax,
} from '../../../domain/webhooks.ts';
import type { Reads, WebhookReads } from '../../queued-store.ts';
import {
  byCreation,
  fromDeliveryDocument,
  fromWebhookDocument,
  toDeliveryDocument,
  toWebhookDocument,
} from '../../webhook-documents.ts';
import type { WebhookWrite } from '../../write.ts';
import { type Row, toInteger, toText } from './values.ts';

export function prepareWebhookReads(db: DatabaseSync): Reads<WebhookReads> {
  const selectAll = db.prepare('SELECT version, document FROM webhooks ORDER BY rowid');
  const select = db.prepare('SELECT version, document FROM webhooks WHERE id = ?');
  const selectDeliveries = db.prepare(
    'SELECT document FROM webhook_deliveries WHERE webhook = ? ORDER BY number DESC LIMIT ?',
  );
  const selectDelivery = db.prepare('SELECT document FROM webhook_deliveries WHERE webhook = ? AND id = ?');
  return {
    list: () => selectAll.all().map(toWebhook).sort(byCreation),
    find: (id) => {
      const row = select.get(id);
      return row === undefined ? undefined : toWebhook(row);
    },
    listDeliveries: (webhook, limit) => selectDeliveries.all(webhook, limit).map(toDelivery),
    findDelivery: (webhook, id) => {
      const row = selectDelivery.get(webhook, id);
      return row === undefined ? undefined : toDelivery(row);
    },
  };
}

/** Call each write inside a transaction. */
export function prepareWebhookWrites(db: DatabaseSync): (write: WebhookWrite) => boolean {
  const insert = db.prepare(
    `INSERT INTO webhooks SELECT ?, ?, ? WHERE (SELECT count(*) FROM webhooks) < ${webhooksMax}`,
  );
  const update = db.prepare('UPDATE webhooks SET version = version + 1, document = ? WHERE id = ? AND version = ?');
  const remove = db.prepare('DELETE FROM webhooks WHERE id = ?');
  const removeDeliveries = db.prepare('DELETE FROM webhook_deliveries WHERE webhook = ?');
  const setDelivery = db.prepare('INSERT OR REPLACE INTO webhook_deliveries VALUES (?, ?, ?, ?, ?)');
  // Two of the oldest for each new one: the rest follows with the next. The one that waits is still needed.
  const trim = db.prepare(
    `DELETE FROM webhook_deliveries WHERE webhook = ?1 AND number IN (
       SELECT number FROM webhook_deliveries WHERE webhook = ?1 ORDER BY number LIMIT 2
     ) AND number <> ?4 AND id <> ?5 AND (number <= ?2 OR at < ?3)`,
  );
  return (write) => {
    if (write.kind === 'delete-webhook') {
      removeDeliveries.run(write.id);
      return remove.run(write.id).changes === 1n;
    }
    const { webhook } = write;
    const document = toWebhookDocument(webhook);
    if (write.kind === 'insert-webhook') return insert.run(webhook.id, webhook.version, document).changes === 1n;
    if (update.run(document, webhook.id, webhook.version).changes !== 1n) return false;
    const { delivery } = write;
    if (delivery !== undefined) {
      const { number, id, lastAttemptAt } = delivery;
      setDelivery.run(webhook.id, number, id, lastAttemptAt, toDeliveryDocument(delivery));
      const oldestAt = Date.now() - deliveryAgeMsMax;
      trim.run(webhook.id, webhook.deliveries - deliveriesMax, oldestAt, number, webhook.waiting ?? '');
    }
    return true;
  };
}

function toWebhook(row: Row): WebhookRecord {
  return fromWebhookDocument(toText(row['document']), Number(toInteger(row['version'])));
}

function toDelivery(row: Row): DeliveryRecord {
  return fromDeliveryDocument(toText(row['document']));
}
