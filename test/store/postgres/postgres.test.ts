/**
 * Runs the port's suite on PostgreSQL, the newest and the oldest version, and on a database made for Citus, which is valid without it.
 * What is PostgreSQL's own is in the files beside this one.
 */
import { describeChanges } from '../behaviour-changes.ts';
import { describePlants } from '../behaviour-plants.ts';
import { describeStore } from '../behaviour.ts';
import { describeWebhooks } from '../behaviour-webhooks.ts';
import { storesOn } from './open-temporary-database.ts';
import { majors } from './server.ts';

const stores = [
  ...majors.map((major) => ({ name: `PostgreSQL ${major}`, open: storesOn(major) })),
  { name: 'PostgreSQL 18 divided as for Citus', open: storesOn(18, 'citus') },
];

for (const { name, open } of stores) {
  describeStore(name, open);
  describePlants(name, open);
  describeChanges(name, open);
  describeWebhooks(name, open);
}
