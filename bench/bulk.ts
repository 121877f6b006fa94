/** Imports and exports over HTTP as a client does: streams, counts rows, stores nothing. */
import { createReadStream, statSync } from 'node:fs';
import { request } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { token } from './service.ts';

const authorization = `Bearer ${token}`;
/** Time-out of a transfer, in milliseconds. */
const transferMs = 120_000;

export interface Uploaded {
  readonly status: number;
  readonly text: string;
  readonly seconds: number;
}

/** POST /plants/import with a CSV file. Rejects if the signal aborts it. */
export async function upload(port: number, path: string, signal?: AbortSignal): Promise<Uploaded> {
  const startedAt = performance.now();
  const headers = { authorization, 'content-type': 'text/csv', 'content-length': statSync(path).size };
  const limit = AbortSignal.timeout(transferMs);
  const sending = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/plants/import',
    headers,
    agent: false,
    signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
  });
  const answered = new Promise<{ status: number; text: string }>((resolve, reject) => {
    sending.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('error', reject).on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
  });
  // A response before the end of the body explains the broken pipe, so ignore the latter.
  pipeline(createReadStream(path, { highWaterMark: 262_144 }), sending).catch(() => undefined);
  return { ...(await answered), seconds: (performance.now() - startedAt) / 1000 };
}

export interface Downloaded {
  /** Lines that end with LF. */
  readonly lines: number;
  /** From the trailer field; undefined if it is missing. */
  readonly exported: number | undefined;
  readonly seconds: number;
}

/** GET /plants/export in one of its media types. */
export function download(port: number, accept: string): Promise<Downloaded> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const asking = request({
      host: '127.0.0.1',
      port,
      path: '/plants/export',
      headers: { authorization, accept, te: 'trailers' },
      agent: false,
      signal: AbortSignal.timeout(transferMs),
    });
    asking.on('error', reject).on('response', (response) => {
      let lines = 0;
      response.on('data', (chunk: Buffer) => {
        for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1;
      });
      response.on('error', reject).on('end', () => {
        const trailer = response.trailers['plants-exported'];
        resolve({
          lines,
          exported: trailer === undefined ? undefined : Number(trailer),
          seconds: (performance.now() - startedAt) / 1000,
        });
      });
    });
    asking.end();
  });
}
