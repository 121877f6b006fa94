/** The Chromium of an npm package, unpacked once for all test processes of this machine. Does not start it. */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inflate } from '@sparticuz/chromium';

export interface Chromium {
  readonly path: string;
  /** Libraries that it needs, for machines that lack them. */
  readonly libraries: string;
}

const packageFolder = fileURLToPath(new URL('..', import.meta.resolve('@sparticuz/chromium')));

export async function findChromium(): Promise<Chromium> {
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as { version: string };
  const folder = join(tmpdir(), `plant-store-chromium-${version}-${process.getuid?.() ?? 0}`);
  if (!existsSync(folder)) await unpack(folder);
  return { path: join(folder, 'chromium'), libraries: join(folder, 'al2023', 'lib') };
}

/** Several processes may do this at the same time: each unpacks for itself, and the first to finish names the folder. */
async function unpack(folder: string): Promise<void> {
  const own = await mkdtemp(`${folder}-`);
  const before = process.env['TMPDIR'];
  // The package unpacks into the temporary folder, whatever that is.
  process.env['TMPDIR'] = own;
  try {
    for (const name of ['chromium.br', 'al2023.tar.br']) await inflate(join(packageFolder, 'bin', name));
  } finally {
    if (before === undefined) Reflect.deleteProperty(process.env, 'TMPDIR');
    else process.env['TMPDIR'] = before;
  }
  await rename(own, folder).catch(() => rm(own, { recursive: true }));
}
