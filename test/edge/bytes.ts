/** Requests as bytes, for what no client library would send. Sending them is connection.ts's matter, and test/support/request.ts's. */
import { Buffer } from 'node:buffer';
import type { Target } from '../support/request.ts';

export const host = 'Host: plants.test';
export const json = 'Content-Type: application/json';

/** The Authorization field of the service's own token. */
export function bearer({ token }: Target): string {
  return `Authorization: Bearer ${token}`;
}

/** A head with exactly these fields, and what follows it. */
export function head(requestLine: string, fields: readonly string[], rest = ''): string {
  return `${requestLine}\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n${rest}`;
}

/** A request that shows that the service lives. */
export const live = head('GET /livez HTTP/1.1', [host]);

/** The head of a create with these fields besides Host, token and type; `rest` is sent as it is. */
export function createHead(target: Target, fields: readonly string[], rest = ''): string {
  return head('POST /plants HTTP/1.1', [host, bearer(target), json, ...fields], rest);
}

/** A whole create with its length. */
export function create(target: Target, body: string, fields: readonly string[] = []): string {
  return createHead(target, [...fields, `Content-Length: ${Buffer.byteLength(body)}`], body);
}

/** The JSON of a plant. */
export function plant(id: bigint, name = 'edge'): string {
  return `{"id":${id},"name":${JSON.stringify(name)}}`;
}

/** The JSON of a plant, with spaces to fill it up to this many bytes. */
export function plantOfBytes(id: bigint, bytes: number): string {
  const text = plant(id);
  return `${text.slice(0, -1)}${' '.repeat(bytes - text.length)}}`;
}

/** One chunk of the chunked coding; none is the last. */
export function chunk(bytes = ''): string {
  return `${Buffer.byteLength(bytes).toString(16)}\r\n${bytes}\r\n`;
}
