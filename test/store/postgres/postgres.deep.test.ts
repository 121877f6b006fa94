/**
 * Runs the port's suite on the oldest PostgreSQL, and on a database made for Citus, which is valid without it. Of the newest, only what is
 * random: the rest is in postgres.test.ts. What is PostgreSQL's own is in the files beside this one.
 */
import { describeChanges } from '../behaviour-changes.ts';
import { describePlantModel, describePlants } from '../behaviour-plants.ts';
import { describeStore } from '../behaviour.ts';
import { describeWebhooks } from '../behaviour-webhooks.ts';
import { storesOn } from './open-temporary-database.ts';

describePlantModel('PostgreSQL 18', storesOn(18), 40);

for (const { name, open } of [
  { name: 'PostgreSQL 15', open: storesOn(15) },
  { name: 'PostgreSQL 18 divided as for Citus', open: storesOn(18, 'citus') },
]) {
  describeStore(name, open);
  describePlants(name, open, 20);
  describeChanges(name, open);
  describeWebhooks(name, open);
}
