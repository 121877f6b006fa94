/** Reads the certificate and its key, before anything is opened that a wrong one would leave behind. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Config } from '../../config/load-config.ts';
import type { Log } from '../../observe/log.ts';

/** Both in PEM. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

/** Resolves to undefined for plain HTTP. @throws Error when the files cannot be read, or do not belong together. */
export async function readTls({ tlsCertFile, tlsKeyFile }: Config): Promise<Tls | undefined> {
  if (tlsCertFile === undefined || tlsKeyFile === undefined) return undefined;
  try {
    const tls = { cert: await readFile(tlsCertFile, 'utf8'), key: await readFile(tlsKeyFile, 'utf8') };
    createSecureContext(tls);
    // A context of two kinds of key, such as EC and RSA, is made all the same; then each handshake fails.
    if (!new X509Certificate(tls.cert).checkPrivateKey(createPrivateKey(tls.key)))
      throw new Error('the key is not that of the certificate');
    return tls;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Cannot use the certificate ${tlsCertFile} with the key ${tlsKeyFile}: ${reason}`, { cause });
  }
}

export function warnOfDates({ cert }: Tls, now: number, log: Log): void {
  const { validFromDate, validToDate } = new X509Certificate(cert);
  if (now > validToDate.getTime()) log.warn({ validTo: validToDate }, 'The TLS certificate has expired');
  if (now < validFromDate.getTime()) log.warn({ validFrom: validFromDate }, 'The TLS certificate is not valid yet');
}
