/** Builds the console unless it is built from these very sources; costs a few milliseconds when it is. Run before the service starts. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { findSourceHash, stampPath } from './console-sources.ts';

const built = await readFile(stampPath, 'utf8').catch(() => undefined);
if (built !== (await findSourceHash())) {
  if (existsSync(new URL('../node_modules/vite', import.meta.url))) await import('./build-console.ts');
  else console.error('The console is not built: install the development dependencies to build it. The service works without.');
}
