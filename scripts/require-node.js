/** Ends npm's scripts with one line on an old Node, which cannot read TypeScript. Plain JavaScript, so that it can read this. */
import { existsSync, readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
if (!process.features.typescript) {
  const isThere = (path) => existsSync(new URL(`../node_modules/${path}`, import.meta.url));
  const remedy = isThere('node/package.json')
    ? 'npm has not installed the Node of this project, perhaps because install scripts are off. ' +
      `Run "npm rebuild node --ignore-scripts=false", or install Node ${engines.node}`
    : isThere('')
      ? 'npm has left out the development dependencies, and the Node of this project with them, perhaps because NODE_ENV is "production". ' +
        `Run "npm ci --include=dev", or install Node ${engines.node}`
      : 'run "npm ci" first, which installs the Node of this project';
  console.error(`Cannot run on Node ${process.versions.node}: ${remedy}`);
  process.exitCode = 1;
}
