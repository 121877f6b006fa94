/** The command that installs optional packages where this one can load them. */
import { readFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toShellWord } from '../../system/to-shell-word.ts';

/** @param scope the beginning of their names, such as `@opentelemetry/`. */
export async function toInstallCommand(scope: string): Promise<string> {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  // A clone has them, unless its development dependencies were left out: `npm install` leaves them out again.
  if (!root.includes(`${sep}node_modules${sep}`)) return `npm ci --include=dev --prefix ${toShellWord(root)}`;
  const { peerDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    peerDependencies: Readonly<Record<string, string>>;
  };
  const packages = Object.entries(peerDependencies).filter(([name]) => name.startsWith(scope));
  return ['npm install', ...toPlace(root), ...packages.map(([name, range]) => `${name}@${range}`)].join(' ');
}

/** Global packages of a prefix are in its folder `lib`. */
function toPlace(root: string): string[] {
  const [app = ''] = root.split(`${sep}node_modules${sep}`);
  return app.endsWith(`${sep}lib`)
    ? ['--global', '--prefix', toShellWord(dirname(app))]
    : ['--prefix', toShellWord(app)];
}
