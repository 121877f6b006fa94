/** Runs the port's suite on PostgreSQL, the newest and the oldest version. What is PostgreSQL's own is in the files beside this one. */
import { describeChanges } from '../behaviour-changes.ts';
import { describePlants } from '../behaviour-plants.ts';
import { describeStore } from '../behaviour.ts';
import { describeWebhooks } from '../behaviour-webhooks.ts';
import { storesOn } from './open-temporary-database.ts';
import { majors } from './server.ts';

for (const major of majors) {
  const open = storesOn(major);
  describeStore(`PostgreSQL ${major}`, open);
  describePlants(`PostgreSQL ${major}`, open);
  describeChanges(`PostgreSQL ${major}`, open);
  describeWebhooks(`PostgreSQL ${major}`, open);
}
