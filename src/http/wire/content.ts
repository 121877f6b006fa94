/** What the head of a request says of its content: its length and its media type. */
import type { IncomingMessage } from 'node:http';

/**
 * Returns the length in bytes; Infinity if the last chunk ends the content (RFC 9112, section 6).
 * Undefined if there is none: a length of 0 is one, such as that of the export of an empty store.
 */
export function contentLengthOf({ headers }: IncomingMessage): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return Infinity;
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/** Returns the media type, `''` if it is absent, and its parameters: in lower case. */
export function contentTypeOf({ headers }: IncomingMessage): readonly string[] {
  return (headers['content-type'] ?? '').split(';').map((part) => part.trim().toLowerCase());
}
