/** What all files of one `npm test` share: the database servers, started when a file first asks for one, and compiled modules. */
import module from 'node:module';
import { type Keeper, startKeeper } from './store/postgres/servers.ts';

let keeper: Keeper | undefined;

export async function globalSetup(): Promise<void> {
  const { directory } = module.enableCompileCache();
  if (directory !== undefined) process.env['NODE_COMPILE_CACHE'] ??= directory;
  keeper = await startKeeper();
}

export async function globalTeardown(): Promise<void> {
  await keeper?.end();
}
