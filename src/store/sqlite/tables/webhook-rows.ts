/** SQL of webhooks and their deliveries on one connection. Transactions are not here. */
import type { DatabaseSync } from 'node:sqlite';
import {
  deliveriesMax,
  deliveryAgeMsMax,
  type DeliveryRecord,
  type WebhookProgress,
  type WebhookRecord,
  webhooksMax,
} from '../../../domain/webhooks.ts';
import type { Reads, WebhookReads } from '../../queued-store.ts';
import {
  byCreation,
  fromDeliveryDocument,
  fromWebhookRow,
  toDeliveryDocument,
  toProgressDocument,
  toSettingsDocument,
} from '../../webhook-documents.ts';
import type { WebhookWrite } from '../../write.ts';
import { type SqlRow, toInteger, toText } from './values.ts';

export function prepareWebhookReads(db: DatabaseSync): Reads<WebhookReads> {
  const rows = `SELECT version, w.document AS settings, step, p.document AS progress
    FROM webhooks AS w JOIN webhook_progress AS p ON p.webhook = w.id`;
  const selectAll = db.prepare(`${rows} ORDER BY w.rowid`);
  const select = db.prepare(`${rows} WHERE w.id = ?`);
  const selectDeliveries = db.prepare(
    'SELECT document FROM webhook_deliveries WHERE webhook = ? ORDER BY number DESC LIMIT ? + 0',
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
export function prepareWriteWebhook(db: DatabaseSync): (write: WebhookWrite) => boolean {
  const insert = db.prepare(
    `INSERT INTO webhooks SELECT ?, ?, ? WHERE (SELECT count(*) FROM webhooks) < ${webhooksMax}`,
  );
  const update = db.prepare('UPDATE webhooks SET version = version + 1, document = ? WHERE id = ? AND version = ?');
  const replaceDelivery = db.prepare(
    'UPDATE webhook_deliveries SET document = ? WHERE webhook = ? AND number = ? AND document = ?',
  );
  const removals = [
    ...['DELETE FROM webhook_deliveries WHERE webhook = ?', 'DELETE FROM webhook_progress WHERE webhook = ?'],
    'DELETE FROM webhooks WHERE id = ?',
  ].map((sql) => db.prepare(sql));
  const saveProgress = prepareSaveProgress(db);
  return (write) => {
    switch (write.kind) {
      case 'insert-webhook': {
        const { settings, progress } = write.webhook;
        const { id, version } = settings;
        const { changes } = insert.run(id, version, toSettingsDocument(settings));
        return changes === 1n && saveProgress(id, { ...progress, step: progress.step - 1 });
      }
      case 'save-settings': {
        const { id, version } = write.settings;
        return update.run(toSettingsDocument(write.settings), id, version).changes === 1n;
      }
      case 'save-progress':
        return saveProgress(write.webhook, write.progress, write.delivery);
      case 'replace-delivery': {
        const { webhook, from, to } = write;
        const documents = [toDeliveryDocument(to), toDeliveryDocument(from)] as const;
        return replaceDelivery.run(documents[0], webhook, from.number, documents[1]).changes === 1n;
      }
      case 'delete-webhook':
        return removals.map((remove) => remove.run(write.id).changes).at(-1) === 1n;
    }
  };
}

function prepareSaveProgress(
  db: DatabaseSync,
): (id: string, progress: WebhookProgress, delivery?: DeliveryRecord) => boolean {
  const save = db.prepare(
    `INSERT INTO webhook_progress SELECT id, ?2 + 1, ?3 FROM webhooks WHERE id = ?1
     ON CONFLICT DO UPDATE SET step = excluded.step, document = excluded.document WHERE step = ?2`,
  );
  // A delivery that a retry has delivered stays delivered.
  const setDelivery = db.prepare(
    `INSERT INTO webhook_deliveries SELECT ?, ?, ?, served, ? FROM change_log WHERE true
     ON CONFLICT DO UPDATE SET served = excluded.served, document = excluded.document WHERE document ->> 'status' <> 'delivered'`,
  );
  // Two of the oldest for each new one; the waiting one stays.
  const trim = db.prepare(
    `DELETE FROM webhook_deliveries WHERE webhook = ?1 AND number IN (
       SELECT number FROM webhook_deliveries WHERE webhook = ?1 ORDER BY number LIMIT 2
     ) AND number <> ?3 AND id <> ?4 AND (number <= ?2 OR served < (SELECT served - ${deliveryAgeMsMax} FROM change_log))`,
  );
  return function saveProgress(webhook, progress, delivery) {
    if (save.run(webhook, progress.step, toProgressDocument(progress)).changes !== 1n) return false;
    if (delivery !== undefined) {
      const { number, id } = delivery;
      setDelivery.run(webhook, number, id, toDeliveryDocument(delivery));
      trim.run(webhook, progress.deliveries - deliveriesMax, number, progress.waiting ?? '');
    }
    return true;
  };
}

function toWebhook(row: SqlRow): WebhookRecord {
  const { version, settings, step, progress } = row;
  return fromWebhookRow({
    version: Number(toInteger(version)),
    settings: toText(settings),
    step: Number(toInteger(step)),
    progress: toText(progress),
  });
}

function toDelivery(row: SqlRow): DeliveryRecord {
  return fromDeliveryDocument(toText(row['document']));
}
