/** Runs the port's suite on PostgreSQL 18, with a short model. Other versions and layouts are in postgres.deep.test.ts. */
import { describeChanges } from '../behaviour-changes.ts';
import { describePlants } from '../behaviour-plants.ts';
import { describeStore } from '../behaviour.ts';
import { describeWebhooks } from '../behaviour-webhooks.ts';
import { storesOn } from './open-temporary-database.ts';

const name = 'PostgreSQL 18';
const open = storesOn(18);
describeStore(name, open);
describePlants(name, open);
describeChanges(name, open);
describeWebhooks(name, open);
