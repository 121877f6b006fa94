/** Ends npm's scripts with one line on an old Node, which cannot read TypeScript. Plain JavaScript, so that it can read this. */
import { existsSync, readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
if (!process.features.typescript) {
  const isInstalled = existsSync(new URL('../node_modules/node/package.json', import.meta.url));
  console.error(
    isInstalled
      ? `Cannot run on Node ${process.versions.node}: npm has not installed the Node of this project, perhaps because install scripts are off. ` +
          `Run "npm rebuild node --ignore-scripts=false", or install Node ${engines.node}`
      : `Cannot run on Node ${process.versions.node}: run "npm ci" first, which installs the Node of this project`,
  );
  process.exitCode = 1;
}
