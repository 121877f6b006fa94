/** Requests as bytes that no client library would send. */
import { Buffer } from 'node:buffer';
import type { Target } from '../support/request.ts';

export const host = 'Host: plants.test';
export const json = 'Content-Type: application/json';

/** Returns the Authorization field with the target's token. */
export function bearer({ token }: Target): string {
  return `Authorization: Bearer ${token}`;
}

/** Returns a head with exactly these fields, followed by `rest`. */
export function head(requestLine: string, fields: readonly string[], rest = ''): string {
  return `${requestLine}\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n${rest}`;
}

/** A request that shows that the service is alive. */
export const live = head('GET /livez HTTP/1.1', [host]);

/** Returns the head of a create with these fields; `rest` is sent unchanged. */
export function createHead(target: Target, fields: readonly string[], rest = ''): string {
  return head('POST /plants HTTP/1.1', [host, bearer(target), json, ...fields], rest);
}

/** Returns a complete create with its length. */
export function create(target: Target, body: string, fields: readonly string[] = []): string {
  return createHead(target, [...fields, `Content-Length: ${Buffer.byteLength(body)}`], body);
}

/** Returns the JSON of a plant. */
export function plant(id: bigint, name = 'edge'): string {
  return `{"id":${id},"name":${JSON.stringify(name)}}`;
}

/** Returns the JSON of a plant, padded with spaces to this size. */
export function plantOfBytes(id: bigint, bytes: number): string {
  const text = plant(id);
  return `${text.slice(0, -1)}${' '.repeat(bytes - text.length)}}`;
}

/** Returns one chunk of the chunked coding; the last one if empty. */
export function chunk(bytes = ''): string {
  return `${Buffer.byteLength(bytes).toString(16)}\r\n${bytes}\r\n`;
}
