/** Compresses the files of a built folder ahead of time. Skips pages: the service adapts them to their address. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';

/**
 * Replaces each file by a `.br`, from which the service makes other forms for the few clients
 * that do not accept Brotli. Resolves to the Brotli size of the JavaScript, in bytes.
 * @param quality of Brotli, 0 to 11.
 */
export async function compressFolder(folder: string, quality: number): Promise<number> {
  let scriptBytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name === 'index.html') continue;
    const path = join(entry.parentPath, entry.name);
    const content = await readFile(path);
    const brotli = await promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
    await writeFile(`${path}.br`, brotli);
    await rm(path);
    if (entry.name.endsWith('.js')) scriptBytes += brotli.length;
  }
  return scriptBytes;
}
