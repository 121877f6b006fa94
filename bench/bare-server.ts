/**
 * A minimal Node HTTP server as a baseline. POST parses JSON and returns name and tag; GET always
 * returns the file named by the first argument. No token, validation or store.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Captured } from './service.ts';

const [path] = process.argv.slice(2);
const captured = path === undefined ? undefined : (JSON.parse(readFileSync(path, 'utf8')) as Captured);
const { headers, body } = captured ?? { headers: {}, body: '' };

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, headers).end(body);
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { name, tag } = JSON.parse(Buffer.concat(chunks).toString()) as { name: string; tag?: string };
    const text = JSON.stringify({ name, tag });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    response.end(text);
  });
});
server.listen(0, '127.0.0.1', () => console.log(`listening on ${(server.address() as AddressInfo).port}`));
process.once('SIGTERM', () => process.exit(0));
