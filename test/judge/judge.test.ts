/** The judge, in a few seconds. judge.deep.test.ts runs it for longer and on each store. */
import { after, it } from 'node:test';
import { startService } from '../support/start-service.ts';
import { judge } from './judge.ts';

const service = await startService({ after }, { env: { PLANT_STORE_WEBHOOK_ALLOW_PRIVATE: 'true' } });

it('every response to 2,000 made requests is as described', async () => {
  await judge(service, 2_000);
});
