/** The judge for longer, on files and on PostgreSQL; a store in memory has the tables of the one on files. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeFolder } from '../support/clean-up.ts';
import { request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';
import { createMigratedDatabase } from '../store/postgres/open-temporary-database.ts';
import { findServer } from '../store/postgres/servers.ts';
import { judge } from './judge.ts';

const requests = 20_000;
const env = { PLANT_STORE_WEBHOOK_ALLOW_PRIVATE: 'true' };

describe(`every response to ${requests} made requests is as described`, () => {
  it('by a store in a data folder', async (t) => {
    await judge(await startService(t, { store: 'folder', env }), requests);
  });

  it('by PostgreSQL', async (t) => {
    const database = await createMigratedDatabase(await findServer(18));
    t.after(() => database.remove());
    const keyFile = join(await makeFolder(t), 'webhook-key');
    await writeFile(keyFile, Buffer.alloc(32, 1).toString('base64'));
    const ofDatabase = { DATABASE_URL: database.url, PLANT_STORE_WEBHOOK_KEY_FILE: keyFile };
    const service = await startService(t, { env: { ...env, ...ofDatabase } });
    // On a busy machine it may reach the database, and store its first token there, only once it serves.
    while ((await request(service, { path: '/tokens/self' })).status !== 200);
    await judge(service, requests, true);
  });
});
