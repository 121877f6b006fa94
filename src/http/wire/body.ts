/** From bounded bytes to an exact JSON value (413, 400). The schema is not checked here. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorCode, ServiceError } from '../../domain/errors.ts';
import { JsonError, type JsonErrorReason } from '../../json/json-error.ts';
import { type JsonValue, parseJson } from '../../json/parse-json.ts';

const codeOfReason: Record<JsonErrorReason, ErrorCode> = {
  malformed: 'json_malformed',
  'duplicate-member': 'json_member_duplicate',
  'unpaired-surrogate': 'json_surrogate_unpaired',
  'too-deep': 'json_too_deep',
};

/** Longest body, in bytes, that a plant may keep in memory while it waits to be stored: two plants with short names are as large. */
const sharedBytesMax = 512;

/** The client left before its request was complete: there is nobody to reply to. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

/**
 * Reads and parses the body; asks for it first when the client waits for that (Expect: 100-continue).
 * @throws ServiceError `body_missing`, `body_too_large`, `body_not_utf8` or one of the JSON codes; ClientGoneError.
 */
export async function readJson(
  request: IncomingMessage,
  response: ServerResponse,
  bytesMax: number,
): Promise<JsonValue> {
  askForBody(request, response);
  return toJsonValue(await readBytes(request, bytesMax));
}

/** Tells a client that waits for it to send its body; one of HTTP/1.0 would take that for the answer (RFC 9110, section 10.1.1). */
export function askForBody({ headers, httpVersion }: IncomingMessage, response: ServerResponse): void {
  if (headers.expect !== undefined && httpVersion !== '1.0') response.writeContinue();
}

/** @throws ServiceError as `readJson`. */
function toJsonValue(bytes: Buffer): JsonValue {
  if (bytes.length === 0) throw new ServiceError('body_missing');
  // Checked before decoding: the decoder would put U+FFFD where the fault is.
  if (!isUtf8(bytes)) throw new ServiceError('body_not_utf8');
  const value = parseJsonText(bytes.toString());
  return bytes.length > sharedBytesMax ? withOwnTexts(value) : value;
}

/** The same members, whose texts do not keep the text of the body in memory: to V8 a part of a text is a reference to all of it. */
function withOwnTexts(value: JsonValue): JsonValue {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  for (const [name, member] of Object.entries(value))
    if (typeof member === 'string') value[name] = Buffer.from(member).toString();
  return value;
}

/** @throws ServiceError one of the JSON codes. */
export function parseJsonText(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new ServiceError(codeOfReason[error.reason], { detail: error.message, cause: error });
  }
}

function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(new ClientGoneError('The client left'));
    let chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= bytesMax) chunks.push(chunk);
      else {
        // The rest is dropped, a bounded amount of it, so that the client can read its reply (linger.ts).
        chunks = [];
        reject(new ServiceError('body_too_large'));
      }
    });
    request.on('end', () => {
      const [first] = chunks;
      resolve(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks));
      // The request outlives its body: it waits for the reply.
      chunks = [];
    });
    request.on('close', leave);
    // Such a request emits nothing any more.
    if (request.destroyed) leave();
  });
}
