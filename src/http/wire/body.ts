/** Reads a bounded body as an exact JSON value (413, 400). Does not check the schema. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorCode, ServiceError } from '../../domain/errors.ts';
import { JsonError, type JsonErrorReason } from '../../json/json-error.ts';
import { type JsonValue, parseJson } from '../../json/parse-json.ts';

const codeOfReason: Record<JsonErrorReason, ErrorCode> = {
  malformed: 'json_malformed',
  'duplicate-member': 'json_member_duplicate',
  'too-many-members': 'json_members_too_many',
  'unpaired-surrogate': 'json_surrogate_unpaired',
  'too-deep': 'json_too_deep',
};

/** Maximum body, in bytes, whose texts are not copied: a waiting plant keeps it in memory. */
const sharedBytesMax = 512;

/** The client disconnected before its request was complete; no reply is possible. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

/**
 * Reads and parses the body; sends 100 first if the client waits for it.
 * @throws ServiceError `body_missing`, `body_too_large`, `body_not_utf8` or a JSON error;
 * ClientGoneError.
 */
export async function readJson(
  request: IncomingMessage,
  response: ServerResponse,
  bytesMax: number,
): Promise<JsonValue> {
  askForBody(request, response);
  return toJsonValue(await readBytes(request, bytesMax));
}

/** Sends 100 to a client that waits for it, but not to HTTP/1.0 (RFC 9110, section 10.1.1). */
export function askForBody({ headers, httpVersion }: IncomingMessage, response: ServerResponse): void {
  if (headers.expect !== undefined && httpVersion !== '1.0') response.writeContinue();
}

/** @throws ServiceError like `readJson`. */
function toJsonValue(bytes: Buffer): JsonValue {
  if (bytes.length === 0) throw new ServiceError('body_missing');
  // Checked before decoding, which would replace invalid bytes by U+FFFD.
  if (!isUtf8(bytes)) throw new ServiceError('body_not_utf8');
  const value = parseJsonText(bytes.toString());
  return bytes.length > sharedBytesMax ? withOwnTexts(value) : value;
}

/** Copies the texts of top-level members: V8's substrings would keep the complete body in memory. */
function withOwnTexts(value: JsonValue): JsonValue {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  for (const [name, member] of Object.entries(value))
    if (typeof member === 'string') value[name] = Buffer.from(member).toString();
  return value;
}

/** @throws ServiceError with a JSON error. */
export function parseJsonText(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new ServiceError(codeOfReason[error.reason], { detail: error.message, cause: error });
  }
}

function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  // Without content it has ended before it comes (`optimizeEmptyRequests`).
  if (request.readableEnded) return Promise.resolve(Buffer.alloc(0));
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= bytesMax) chunks.push(chunk);
      else {
        // The connection drops a bounded part of the rest, so that the client can read its reply.
        chunks = [];
        reject(new ServiceError('body_too_large'));
      }
    });
    request.on('end', () => {
      const [first] = chunks;
      resolve(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks));
      // The request outlives its body until the reply.
      chunks = [];
    });
    const leaveUnlessEnded = (): void => {
      // Every request closes; the stack trace of an error takes 3 us.
      if (!request.readableEnded) reject(new ClientGoneError('The client left'));
    };
    request.on('close', leaveUnlessEnded);
    // A destroyed request emits nothing.
    if (request.destroyed) leaveUnlessEnded();
  });
}
