/** Compresses the files of a built folder, so that the service never has to. Pages are left out: the service makes them fit their address. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Writes a `.br` and a `.gz` beside each file. Resolves to the bytes of JavaScript by Brotli. @param quality of Brotli, 0 to 11. */
export async function compressFolder(folder: string, quality: number): Promise<number> {
  let scriptBytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name === 'index.html') continue;
    const path = join(entry.parentPath, entry.name);
    const content = await readFile(path);
    const brotli = await promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
    await writeFile(`${path}.br`, brotli);
    await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }));
    if (entry.name.endsWith('.js')) scriptBytes += brotli.length;
  }
  return scriptBytes;
}
