/** The command that installs optional packages where this one can load them. */
import { readFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toShellWord } from '../../system/to-shell-word.ts';

const here = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * @param scope the beginning of their names, such as `@opentelemetry/`.
 * @param root of this package.
 */
export async function toInstallCommand(scope: string, root = here): Promise<string> {
  // A clone has them, unless its development dependencies were left out: `npm install` leaves them out again.
  if (!root.includes(`${sep}node_modules${sep}`)) return `npm ci --include=dev --prefix ${toShellWord(root)}`;
  const { peerDependencies } = JSON.parse(await readFile(join(here, 'package.json'), 'utf8')) as {
    peerDependencies: Readonly<Record<string, string>>;
  };
  const packages = Object.entries(peerDependencies).filter(([name]) => name.startsWith(scope));
  return [toInstaller(root), ...packages.map(([name, range]) => `${name}@${range}`)].join(' ');
}

/** The command of the package manager that has installed this package, by where that stores packages. */
function toInstaller(root: string): string {
  const [app = ''] = root.split(`${sep}node_modules${sep}`);
  if (app.includes(`${sep}.yarn${sep}`)) return 'yarn add';
  if (root.includes(`${sep}.pnpm${sep}`)) return `pnpm add --dir ${toShellWord(app)}`;
  // Global packages of a prefix are in its folder `lib`.
  const isGlobal = app.endsWith(`${sep}lib`);
  return isGlobal
    ? `npm install --global --prefix ${toShellWord(dirname(app))}`
    : `npm install --prefix ${toShellWord(app)}`;
}
