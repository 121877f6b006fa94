/** Runs the port's suite on the SQLite adapter. */
import { describeChanges } from './behaviour-changes.ts';
import { describePlants } from './behaviour-plants.ts';
import { describeStore } from './behaviour.ts';
import { describeWebhooks } from './behaviour-webhooks.ts';
import { openTemporaryStore } from './open-temporary-store.ts';

describeStore('SQLite', openTemporaryStore);
describePlants('SQLite', openTemporaryStore);
describeChanges('SQLite', openTemporaryStore);
describeWebhooks('SQLite', openTemporaryStore);
