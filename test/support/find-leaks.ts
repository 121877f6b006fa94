/** Searches the output and the data folder of a process for secrets. */
import { Buffer } from 'node:buffer';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The only file that may contain a token: the service creates it for its owner. */
const allowedFile = 'initial-token';

/** Returns the places that contain a secret, never the secret. The process must have ended. */
export async function findLeaks(secrets: Iterable<string>, output: string, folder: string): Promise<string[]> {
  const texts = [...secrets].flatMap((secret) => [secret, Buffer.from(secret).toString('base64').replace(/=+$/, '')]);
  const places: string[] = texts.some((text) => output.includes(text)) ? ['its output'] : [];
  for (const name of await listFiles(folder)) {
    if (name === allowedFile) continue;
    const bytes = await readFile(join(folder, name));
    if (texts.some((text) => bytes.includes(text))) places.push(name);
  }
  return places;
}

async function listFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return [];
    throw error;
  }
}
