/** The key that encrypts the secrets of webhooks: given, or created in the data folder. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../../domain/errors.ts';
import { isSystemError, toSystemReason } from '../../system/system-error.ts';
import { writeSecret } from './write-secret.ts';

/** For the log, and for who wants a secret. */
const lost =
  'The file webhook-key is missing in the data folder, and the secrets of webhooks need it: put it back. If it is lost, create one (openssl rand -base64 32), then a new secret for each webhook, and enable it';

/** AES-256. */
const keyBytes = 32;

export interface WebhookKeyLocation {
  /** The file that was given, if any. */
  readonly keyFile: string | undefined;
  /** Absent: the store has no folder. */
  readonly dataDir: string | undefined;
  /** Resolves to whether there are secrets that need a key. */
  readonly hasSecrets: () => Promise<boolean>;
}

/**
 * Returns a function that resolves to the key, which is read once. In a data folder without webhooks,
 * the first call creates it. The function throws ServiceError `webhook_key_missing` if there is neither
 * a file nor a folder, and while the file is missing in the folder of a store that has webhooks.
 * @throws Error if the file that was given cannot be read or has no key.
 */
export async function openWebhookKey({
  keyFile,
  dataDir,
  hasSecrets,
}: WebhookKeyLocation): Promise<() => Promise<Buffer>> {
  if (keyFile !== undefined) {
    const text = await readFile(keyFile, 'utf8').catch((cause: unknown) => {
      throw new Error(`Cannot read the key of webhooks from ${keyFile}: ${toSystemReason(cause)}`, { cause });
    });
    const key = toKey(text, keyFile);
    return () => Promise.resolve(key);
  }
  if (dataDir === undefined) return () => Promise.reject(new ServiceError('webhook_key_missing'));
  const path = join(dataDir, 'webhook-key');
  let found: Promise<Buffer> | undefined;
  return () => {
    // After a failure, the next call tries again.
    found ??= readOrCreate(path, hasSecrets).catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return found;
  };
}

async function readOrCreate(path: string, hasSecrets: WebhookKeyLocation['hasSecrets']): Promise<Buffer> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (text !== undefined) return toKey(text, path);
  if (await hasSecrets()) throw new ServiceError('webhook_key_missing', { detail: lost });
  const key = randomBytes(keyBytes);
  await writeSecret(path, `${key.toString('base64')}\n`);
  return key;
}

/** @throws Error naming the file. */
function toKey(text: string, path: string): Buffer {
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== keyBytes || key.toString('base64') !== text.trim())
    throw new Error(`Cannot use the key of webhooks: ${path} must contain ${keyBytes} bytes in Base64`);
  return key;
}
