/** Work per request is linear: twice the bytes take about twice the time, whatever they are. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Store } from '../../src/domain/store.ts';
import { Pages } from '../../src/http/pages/pages.ts';
import { startServer } from '../support/start-server.ts';
import { makeFolder } from '../support/clean-up.ts';

const folder = await makeFolder({ after });
await writeFile(join(folder, 'index.html'), 'page');
const empty = {
  requireWritable: () => undefined,
  tokens: {},
  plants: { revision: () => undefined, find: () => Promise.resolve(undefined), list: () => Promise.resolve([]) },
};
const port = await startServer({ after }, empty as unknown as Store, [new Pages('/docs', folder)]);

/** Bytes that make patterns backtrack, each repeated to the length. */
const pieces = ['\t', ' ', ',', ';', 'a\t', '"', ', ', 'W/"', 'a;q=', '/', '%20', '=', '&a', 'aA0-', '1'];
const fields = [
  'Accept',
  'Accept-Encoding',
  'Authorization',
  'Content-Type',
  'Content-Encoding',
  'Cookie',
  'Expect',
  'Host',
  'If-Match',
  'If-None-Match',
  'Origin',
  'Access-Control-Request-Method',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
];
const short = 7_000;
const rounds = 12;
/** Code that is not compiled yet, and other programs, make single measurements too high: the least of several counts. */
const attemptsMax = 5;
/** A quadratic part would make it 4; noise on a busy machine seldom exceeds 2.5. */
const ratioMax = 3.2;
/** Work below this is noise, in microseconds per request; a quadratic 14 kB costs far more. */
const ignoredUs = 1_500;

type ToRequest = (text: string) => string;

const requests: readonly (readonly [name: string, toRequest: ToRequest])[] = [
  ...fields.flatMap((field) =>
    ['GET /docs', 'GET /plants/7', 'GET /openapi.json', 'POST /plants'].map((line): [string, ToRequest] => [
      `${field} of ${line}`,
      (text) => toHead(line, field === 'Host' ? [] : ['Host: a'], `${field}: a${text}b`),
    ]),
  ),
  ['the path', (text) => toHead(`GET /${text.replaceAll(/[\t "]/g, '%')}`, ['Host: a'], 'X: y')],
  ['the id', (text) => toHead(`GET /plants/${text.replaceAll(/[\t "]/g, '0')}`, ['Host: a'], 'X: y')],
  ['the query', (text) => toHead(`GET /plants?name=${text.replaceAll(/[\t "]/g, '+')}`, ['Host: a'], 'X: y')],
  ['the absolute form', (text) => toHead(`GET http://${text.replaceAll(/[\t "]/g, 'a')}/`, ['Host: a'], 'X: y')],
];

function toHead(line: string, fixed: readonly string[], field: string): string {
  const authorization = field.startsWith('Authorization') ? [] : ['Authorization: Bearer x'];
  return `${line} HTTP/1.1\r\n${[...fixed, ...authorization, field].join('\r\n')}\r\nConnection: close\r\n\r\n`;
}

async function send(bytes: string): Promise<void> {
  const socket: Socket = connect(port, '127.0.0.1').resume();
  socket.on('error', () => undefined);
  socket.end(bytes, 'latin1');
  await once(socket, 'close');
}

/** Returns the minimum CPU time of several requests, in microseconds, including the client's. */
async function costOf(bytes: string): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage();
    await send(bytes);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}

describe('the work for 14 kB', () => {
  for (const [name, toRequest] of requests) {
    it(`of ${name} is about twice that for 7 kB`, async () => {
      for (const piece of pieces) {
        const fill = (length: number): string => piece.repeat(Math.floor(length / piece.length));
        let [long, half, ratio] = [Infinity, Infinity, Infinity];
        for (let attempt = 0; attempt < attemptsMax && ratio >= ratioMax; attempt++) {
          long = Math.min(long, await costOf(toRequest(fill(2 * short))));
          if (long < ignoredUs) break;
          half = Math.min(half, await costOf(toRequest(fill(short))));
          ratio = long / half;
        }
        if (long >= ignoredUs)
          assert.ok(ratio < ratioMax, `${JSON.stringify(piece)}: ${ratio.toFixed(1)} times the work`);
      }
    });
  }
});
