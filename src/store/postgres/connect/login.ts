/** What a database URL and its files say about logging in. Connects to nothing. */
import { readFile } from 'node:fs/promises';
import type { ConnectionOptions } from 'node:tls';
import { toSystemReason } from '../../../system/system-error.ts';
import type { Login } from './connection.ts';
import type { DatabaseAddress } from './database-url.ts';

/**
 * @param passwordFile read again for each connection, so that a new password needs no restart;
 * absent: the password of the URL.
 * @throws Error when a file cannot be read.
 */
export async function toLogin(address: DatabaseAddress, passwordFile: string | undefined): Promise<Login> {
  const { user, database, password = '' } = address;
  const readPassword = async (): Promise<string> =>
    passwordFile === undefined ? password : (await readNamed(passwordFile, 'the password')).replace(/\r?\n$/, '');
  // A file that is missing is reported now, not at the first connection.
  await readPassword();
  return { user, database, readPassword, tls: await readTls(address) };
}

/**
 * As libpq: `require` only encrypts, `verify-ca` checks who signed the certificate,
 * `verify-full` the name of the host too.
 */
async function readTls({ sslMode, ...paths }: DatabaseAddress): Promise<ConnectionOptions | false> {
  if (sslMode === 'disable') return false;
  const read = async (path: string | undefined, content: string): Promise<string | undefined> =>
    path === undefined ? undefined : readNamed(path, content);
  const [ca, cert, key] = await Promise.all([
    read(paths.sslRootCert, 'sslrootcert'),
    read(paths.sslCert, 'sslcert'),
    read(paths.sslKey, 'sslkey'),
  ]);
  return {
    rejectUnauthorized: sslMode !== 'require',
    ca,
    cert,
    key,
    ...(sslMode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  };
}

/** @param content what the file has, for the message. */
async function readNamed(path: string, content: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new Error(`Cannot read ${content} of the database from ${path}: ${toSystemReason(cause)}`, { cause });
  }
}
