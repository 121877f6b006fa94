/** What all files of one `npm test` share: the database servers, started when a file first asks for one. */
import { type Keeper, startKeeper } from './store/postgres/servers.ts';

let keeper: Keeper | undefined;

export async function globalSetup(): Promise<void> {
  keeper = await startKeeper();
}

export async function globalTeardown(): Promise<void> {
  await keeper?.end();
}
