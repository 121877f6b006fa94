/** What Node says of a failed connection. Browsers say little: our pages are built without this file, see scripts/page-config.ts. */

/** Error codes of Node for a certificate that no known CA has signed. */
const untrustedCode = /SELF_SIGNED_CERT|^UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)/;
/** Other codes of Node for failures that last until the address or the certificate is changed. */
const unusableCode = /^(?:CERT_|ERR_SSL_WRONG_VERSION|ERR_TLS_CERT_)/;
/** Error codes of Node when no connection was made. */
const notConnectedCode = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/;

/** Why no request can be sent to the address until something is changed; undefined: one can. */
export function findAddressProblem(error: unknown): 'untrusted' | 'port' | 'other' | undefined {
  const code = codeOf(error) ?? '';
  if (untrustedCode.test(code)) return 'untrusted';
  if (unusableCode.test(code)) return 'other';
  // fetch refuses some ports (fetch.spec.whatwg.org/#port-blocking), with a text but no code.
  return error instanceof Error && error.cause instanceof Error && error.cause.message === 'bad port'
    ? 'port'
    : undefined;
}

/** Whether the request was surely not sent. */
export function isSurelyUnsent(error: unknown): boolean {
  return notConnectedCode.test(codeOf(error) ?? '') || findAddressProblem(error) !== undefined;
}

/** The code of a system error, or of its cause. */
export function codeOf(error: unknown): string | undefined {
  const inner = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return typeof inner === 'object' && inner !== null && 'code' in inner && typeof inner.code === 'string'
    ? inner.code
    : undefined;
}

/** fetch says only "fetch failed": the reason is in the cause of its error, or a code. */
export function describeFailure(error: unknown): string {
  // The text of OpenSSL names its source files.
  if (codeOf(error) === 'ERR_SSL_WRONG_VERSION_NUMBER') return 'it does not use TLS; use http:// if that is intended';
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const message = inner instanceof Error ? inner.message.replaceAll(/\s+/g, ' ') : '';
  return message === '' ? (codeOf(error) ?? 'the connection failed') : message;
}
