/** Reads the certificate and its key, first of all: a wrong one leaves nothing behind. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Config } from '../../config/load-config.ts';
import type { Tls } from '../../http/server.ts';
import { toSystemReason } from '../../system/system-error.ts';

/**
 * Resolves to undefined for plain HTTP.
 * @throws Error when the files cannot be read, or do not belong together.
 */
export async function readTls({ tlsCertFile, tlsKeyFile }: Config): Promise<Tls | undefined> {
  if (tlsCertFile === undefined || tlsKeyFile === undefined) return undefined;
  const [cert, key] = await Promise.all([readText(tlsCertFile), readText(tlsKeyFile)]);
  const certificate = parse(tlsCertFile, 'certificate', () => new X509Certificate(cert));
  const privateKey = parse(tlsKeyFile, 'private key', () => createPrivateKey(key));
  try {
    // 10 ms of a start that has no TLS.
    const { createSecureContext } = await import('node:tls');
    createSecureContext({ cert, key });
    // A context of two kinds of key, such as EC and RSA, is made all the same; handshakes fail.
    if (!certificate.checkPrivateKey(privateKey)) throw new Error('the key is not that of the certificate');
  } catch (cause) {
    const pair = `the certificate ${tlsCertFile} with the key ${tlsKeyFile}`;
    throw new Error(`Cannot use ${pair}: ${toSystemReason(cause)}`, { cause });
  }
  return { cert, key };
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new Error(`Cannot read ${path}: ${toSystemReason(cause)}`, { cause });
  }
}

function parse<Parsed>(path: string, what: string, read: () => Parsed): Parsed {
  try {
    return read();
  } catch (cause) {
    const wanted = `it must begin with a ${what} in PEM, without a passphrase`;
    throw new Error(`Cannot use ${path}: ${wanted} (${toSystemReason(cause)})`, { cause });
  }
}

/** Returns why clients refuse the certificate at this time (milliseconds since 1970); undefined: it is valid. */
export function findDateProblem({ cert }: Tls, now: number): string | undefined {
  const { validFromDate, validToDate } = new X509Certificate(cert);
  if (now > validToDate.getTime()) return `it has expired on ${validToDate.toISOString()}`;
  if (now < validFromDate.getTime()) return `it is not valid before ${validFromDate.toISOString()}`;
  return undefined;
}
