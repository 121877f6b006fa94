/** Failures of the connection: one line that says what to do, and no retries of what cannot succeed. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { certificate, privateKey } from '../edge/self-signed.ts';
import { makeFolder } from '../support/clean-up.ts';
import { listen } from '../support/listen.ts';
import { startService } from '../support/start-service.ts';
import { runCli } from './run-cli.ts';

const tlsPort = await listen({ after }, createServer({ cert: certificate, key: privateKey }));
/** Another program: its status is the first part of the path. */
const other = createHttpServer((request, response) => {
  response.statusCode = Number(request.url?.split('/')[1]);
  request.resume().on('end', () => response.end('<!doctype html>'));
});
const otherUrl = `http://127.0.0.1:${await listen({ after }, other)}`;
const service = await startService({ after }, { env: { PLANT_STORE_BASE_PATH: '/api' } });
const plain = new URL(service.url).origin;
const folder = await makeFolder({ after });
await writeFile(join(folder, 'plants.ndjson'), '{"id":7,"name":"Monstera"}\n');
const env = { PLANT_STORE_TOKEN: service.token };

/** By what is wrong: the address, and the end of the line. */
const failures: Readonly<Record<string, readonly [url: string, line: RegExp]>> = {
  'a certificate that nobody trusts': [
    `https://127.0.0.1:${tlsPort}`,
    /self-signed certificate.*\. Set NODE_EXTRA_CA_CERTS to the file with the certificate of the CA that signed it\n$/,
  ],
  'a service without TLS': [
    plain.replace('http:', 'https:'),
    /it does not use TLS; use http:\/\/ if that is intended\n$/,
  ],
  'a port that fetch refuses': [
    'http://127.0.0.1:6000',
    /bad port\. HTTP clients refuse this port: use another one\n$/,
  ],
  'an address without the base path': [
    plain,
    /: Nothing found at this path: does the address of --url include the base path\? It is http:\/\/127\.0\.0\.1:\d+ \(error 40401\)\n$/,
  ],
  'another program, which has no such page': [
    `${otherUrl}/404`,
    /The response of http:\/\/127\.0\.0\.1:\d+\/404 is not from a plant store: a proxy or another program sent HTTP status 404; --url names another address \(error 40400\)\n$/,
  ],
  'another program, which shows a page': [
    `${otherUrl}/200`,
    /Cannot use the response: it is not an? .* of a plant store\. The address is http:\/\/127\.0\.0\.1:\d+\/200; --url names another\n$/,
  ],
};

describe('a connection that cannot succeed', () => {
  for (const [name, [url, line]] of Object.entries(failures)) {
    it(`${name}: list and import say what to do, and import does not retry`, async () => {
      for (const [args, start] of [
        [['list'], ''],
        [['import', 'plants.ndjson'], 'Cannot import plants\\.ndjson: '],
      ] as const) {
        const { code, stdout, stderr } = await runCli([...args, '--url', url], env, folder);
        assert.deepEqual([code, stdout], [1, '']);
        assert.match(stderr, new RegExp(`^plant-store: ${start}[^\n]+\n$`));
        assert.match(stderr, line);
        assert.doesNotMatch(stderr, /may not be running/);
      }
    });
  }

  it('an address with http:// of a service that uses TLS: list names https://', async () => {
    const { code, stderr } = await runCli(['list', '--url', `http://127.0.0.1:${tlsPort}`], env);
    assert.equal(code, 1);
    assert.match(stderr, /^plant-store: [^\n]+\. If the service uses TLS, its address begins with https:\/\/\n$/);
  });
});
