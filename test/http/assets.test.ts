/** Files of pages: which are served, how they are cached and encoded, and that nothing else can be had. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Assets } from '../../src/http/pages/assets.ts';

let folder: string;
let assets: Assets;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plant-store-assets-'));
  await mkdir(join(folder, 'pages', 'assets'), { recursive: true });
  await writeFile(join(folder, 'pages', 'index.html'), '<script src="./assets/index-abcd1234.js"></script>');
  await writeFile(join(folder, 'pages', 'assets', 'index-abcd1234.js'), 'plain');
  await writeFile(join(folder, 'pages', 'assets', 'index-abcd1234.js.br'), 'as br');
  await writeFile(join(folder, 'pages', 'assets', 'index-abcd1234.js.gz'), 'as gzip');
  await writeFile(join(folder, 'pages', 'notes.txt'), 'no media type');
  await writeFile(join(folder, 'secret.js'), 'outside');
  await symlink(join(folder, 'secret.js'), join(folder, 'pages', 'link.js'));
  assets = new Assets('/console', join(folder, 'pages'));
});
after(() => rm(folder, { recursive: true }));

const ask = (name: string, headers: Record<string, string> = {}) =>
  assets.find(name, { headers } as unknown as IncomingMessage);
const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();

describe('Assets', () => {
  it('serves the page under both spellings of its address, each with links that lead to the files', async () => {
    assert.equal(text((await ask(''))?.bytes), '<script src="./console/assets/index-abcd1234.js"></script>');
    const page = await ask('/');
    assert.equal(text(page?.bytes), '<script src="./assets/index-abcd1234.js"></script>');
    assert.equal(page?.headers['content-type'], 'text/html; charset=utf-8');
    assert.equal(page.headers['cache-control'], 'no-cache');
    const policy = page.headers['content-security-policy'] ?? '';
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
    ])
      assert.ok(policy.includes(part), part);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    const packed = await ask('/', { 'accept-encoding': 'gzip' });
    assert.equal(gunzipSync(packed?.bytes ?? '').toString(), text(page.bytes));
  });

  it('serves files that are named by content for ever, in the encoding that is asked for', async () => {
    for (const [accepted, encoding, content] of [
      ['gzip, deflate, br, zstd', 'br', 'as br'],
      ['gzip', 'gzip', 'as gzip'],
      ['br;q=0, gzip;q=0.5', 'gzip', 'as gzip'],
      ['identity', undefined, 'plain'],
      ['', undefined, 'plain'],
    ] as const) {
      const answer = await ask('/assets/index-abcd1234.js', { 'accept-encoding': accepted });
      assert.deepEqual([answer?.headers['content-encoding'], text(answer?.bytes)], [encoding, content], accepted);
      assert.match(answer?.headers['cache-control'] ?? '', /immutable/);
      assert.equal(answer?.headers['vary'], 'Accept-Encoding');
    }
  });

  it('answers 304 to who has the file', async () => {
    const etag = (await ask('/'))?.headers['etag'] ?? '';
    assert.match(etag, /^"[\w-]{22}"$/);
    for (const names of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const answer = await ask('/', { 'if-none-match': names });
      assert.deepEqual([answer?.status, answer?.bytes], [304, undefined], names);
    }
    assert.equal((await ask('/', { 'if-none-match': '"other"' }))?.status, 200);
  });

  it('finds nothing else', async () => {
    for (const name of [
      '/../secret.js',
      '/assets/../../secret.js',
      '/link.js',
      '/notes.txt',
      '/assets',
      '/assets/',
      '/index.html',
      '/assets/index-abcd1234.js.br',
      '//assets/index-abcd1234.js',
      '/ASSETS/index-abcd1234.js',
      '/__proto__',
      '/..\\secret.js',
    ])
      assert.equal(await ask(name), undefined, name);
  });

  it('finds nothing in a folder that is missing, and what is there as soon as it is', async () => {
    const late = new Assets('/console', join(folder, 'late'));
    const request = { headers: {} } as unknown as IncomingMessage;
    assert.equal(await late.find('', request), undefined);
    await mkdir(join(folder, 'late'));
    await writeFile(join(folder, 'late', 'index.html'), 'here');
    assert.equal(text((await late.find('', request))?.bytes), 'here');
  });
});
