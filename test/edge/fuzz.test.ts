/** Random bytes, and randomly damaged requests: never a 5xx, a hang or an undocumented response, and constant memory. */
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { existsSync, readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { AnswerReader } from '../support/answer-reader.ts';
import { contract } from '../support/read-contract.ts';
import { assertServes } from '../support/plants.ts';
import { toReply } from '../support/reply.ts';
import { startProcess } from '../support/start-process.ts';
import { assertQuiet } from './assert-cases.ts';
import { chunk, create, createHead, head, host, live, plant } from './bytes.ts';
import { exchange } from './connection.ts';

const service = await startProcess({ after });
/** Set SEED to reproduce a failure. */
const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const runs = 400;
/** Memory that the service may use for all of it, in bytes. */
const memoryMax = 64 * 1024 * 1024;

const wholes = [
  create(service, plant(1n)),
  createHead(service, ['Transfer-Encoding: chunked'], chunk(plant(2n)) + chunk()),
  createHead(service, ['Expect: 100-continue', 'Content-Length: 22'], plant(3n)),
  live + create(service, plant(4n)) + head('OPTIONS /plants HTTP/1.1', [host]),
  head('GET http://a/openapi.json?x=%41 HTTP/1.0', [host, 'Accept: text/*;q=0.1, */*']),
];
const tokens = [
  '\r\n',
  '\r\n\r\n',
  '\n',
  ' ',
  '\t',
  ':',
  '0',
  '-1',
  '\0',
  '%',
  '{',
  '"',
  ',',
  ';q=',
  '\u00ff',
  'chunked',
  'Host: b\r\n',
  'GET / HTTP/1.1',
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Connection: close\r\n',
  'Upgrade: a\r\nConnection: upgrade\r\n',
  '5\r\nabcde\r\n',
];

const place = fc.double({ min: 0, max: 1, noNaN: true });
const damage = fc.oneof(
  fc.record({
    at: place,
    cut: fc.nat({ max: 40 }),
    put: fc.constantFrom(...tokens).map((token) => Buffer.from(token, 'latin1')),
  }),
  fc.record({ at: place, cut: fc.constant(1), put: fc.uint8Array({ minLength: 1, maxLength: 1 }) }),
  fc.record({ at: place, cut: fc.constant(100_000), put: fc.constant(new Uint8Array()) }),
);
const damaged = fc
  .tuple(fc.constantFrom(...wholes), fc.array(damage, { minLength: 1, maxLength: 4 }))
  .map(([full, damages]) =>
    damages.reduce<Buffer>(
      (bytes, { at, cut, put }) => {
        const start = Math.floor(at * bytes.length);
        return Buffer.concat([bytes.subarray(0, start), put, bytes.subarray(start + cut)]);
      },
      Buffer.from(full, 'latin1'),
    ),
  );
const noise = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes));

/** The request in damaged bytes is unknown, so the response must match any possible one. */
const askable = [
  { method: 'GET', path: '/?' },
  ...[...contract.operations.values()].flatMap(({ method, path }) => [
    { method, path },
    { method: 'TRACE', path },
  ]),
];

function assertDescribed(bytes: Buffer): void {
  const reader = new AnswerReader();
  reader.push(bytes);
  reader.end();
  for (let answer = reader.take('GET'); answer !== undefined; answer = reader.take('GET')) {
    const { status, fields, body } = answer;
    // A damaged method or version is refused as such.
    assert.ok(status < 500 || status === 501 || status === 505, `answered ${status}: ${body.toString()}`);
    const errors: unknown[] = [];
    for (const asked of askable) {
      try {
        toReply({ ...asked, basePath: '' }, status, fields, body);
        break;
      } catch (error) {
        errors.push(error);
      }
    }
    assert.ok(errors.length < askable.length, String(errors[0]));
  }
  assert.equal(reader.left.length, 0, 'half an answer');
}

function readMemory(): number {
  if (!existsSync('/proc/self/status')) return 0;
  const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}

describe(`random bytes (SEED=${seed})`, () => {
  const kinds = { 'requests with damage': damaged, noise };
  for (const [name, kind] of Object.entries(kinds)) {
    it(`${name}: get documented responses, and the connection closes`, async () => {
      const before = readMemory();
      await fc.assert(
        fc.asyncProperty(kind, async (bytes) => assertDescribed(await exchange(service, bytes))),
        { seed, numRuns: runs },
      );
      await assertServes(service);
      assert.ok(readMemory() - before < memoryMax, 'memory grows');
      assertQuiet(service);
    });
  }
});
