/** Files of pages: which are served, cached and encoded how, and that nothing else is. */
import assert from 'node:assert/strict';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Pages } from '../../src/http/pages/pages.ts';
import { makeFolder } from '../support/clean-up.ts';

const folder = await makeFolder({ after });
let pages: Pages;

before(async () => {
  await mkdir(join(folder, 'pages', 'assets'), { recursive: true });
  await writeFile(join(folder, 'pages', 'index.html'), '<script src="./assets/index-abcd1234.js"></script>');
  await writeFile(join(folder, 'pages', 'assets', 'index-abcd1234.js.br'), brotliCompressSync('script'));
  await writeFile(join(folder, 'pages', 'plain.css'), 'style');
  await writeFile(join(folder, 'pages', 'notes.txt'), 'no media type');
  await writeFile(join(folder, 'secret.js'), 'outside');
  await symlink(join(folder, 'secret.js'), join(folder, 'pages', 'link.js'));
  pages = new Pages('/console', join(folder, 'pages'));
});

const ask = (name: string, headers: Record<string, string> = {}) =>
  pages.find(name, { headers } as unknown as IncomingMessage);
const text = (bytes: string | Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();

describe('Pages', () => {
  it('serves the page under both spellings of its address, with links that lead to the files', async () => {
    assert.equal(text((await ask(''))?.body), '<script src="./console/assets/index-abcd1234.js"></script>');
    const page = await ask('/');
    assert.equal(text(page?.body), '<script src="./assets/index-abcd1234.js"></script>');
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
    assert.equal(gunzipSync(packed?.body ?? '').toString(), text(page.body));
  });

  it('serves files named by content hash as immutable, in the requested encoding', async () => {
    for (const [accepted, encoding, decode] of [
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
      ['identity', undefined, (bytes: Buffer) => bytes],
      ['', undefined, (bytes: Buffer) => bytes],
    ] as const) {
      const answer = await ask('/assets/index-abcd1234.js', { 'accept-encoding': accepted });
      assert.equal(answer?.headers['content-encoding'], encoding, accepted);
      assert.equal(decode(Buffer.from(answer?.body ?? '')).toString(), 'script', accepted);
      assert.match(answer?.headers['cache-control'] ?? '', /immutable/);
      assert.equal(answer?.headers['vary'], 'Accept-Encoding');
    }
  });

  it('gives each content coding its own entity tag', async () => {
    const asTags = await Promise.all(
      ['identity', 'gzip', 'br'].map(
        async (coding) => (await ask('/', { 'accept-encoding': coding }))?.headers['etag'],
      ),
    );
    assert.equal(new Set(asTags).size, 3);
    for (const tag of asTags) assert.match(tag ?? '', /^"[\w-]+"$/);
    const [plain = '', gzip = ''] = asTags;
    const stale = await ask('/', { 'accept-encoding': 'gzip', 'if-none-match': plain });
    assert.equal(stale?.status, 200, 'the tag of another coding');
    const fresh = await ask('/', { 'accept-encoding': 'gzip', 'if-none-match': gzip });
    assert.deepEqual([fresh?.status, fresh?.headers['etag']], [304, gzip]);
  });

  it('returns 304 to a client that has the file', async () => {
    const etag = (await ask('/'))?.headers['etag'] ?? '';
    for (const names of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const reply = await ask('/', { 'if-none-match': names });
      assert.deepEqual([reply?.status, reply?.body], [304, undefined], names);
      // RFC 9110, section 15.4.5.
      assert.deepEqual([reply?.headers['content-type'], reply?.headers['content-encoding']], [undefined, undefined]);
    }
    assert.equal((await ask('/', { 'if-none-match': '"other"' }))?.status, 200);
  });

  it('refuses a version that is not served', async () => {
    const etag = (await ask('/'))?.headers['etag'] ?? '';
    for (const names of [etag, '*', `"other", ${etag}`])
      assert.equal((await ask('/', { 'if-match': names }))?.status, 200);
    for (const names of ['"other"', `W/${etag}`])
      await assert.rejects(async () => ask('/', { 'if-match': names }), { code: 'condition_not_met' });
  });

  it('makes the other forms of a file once', async () => {
    for (const accepted of ['gzip', 'identity']) {
      const [first, second] = await Promise.all(
        [1, 2].map(() => ask('/assets/index-abcd1234.js', { 'accept-encoding': accepted })),
      );
      assert.ok(first?.body !== undefined && first.body === second?.body, accepted);
    }
  });

  it('serves a file that is not stored compressed as it is', async () => {
    const reply = await ask('/plain.css', { 'accept-encoding': 'br, gzip' });
    assert.deepEqual([reply?.headers['content-encoding'], text(reply?.body)], [undefined, 'style']);
  });

  it('returns 404 for anything else', async () => {
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

  it('returns 404 while the folder is missing, and serves its files once it exists', async () => {
    const late = new Pages('/console', join(folder, 'late'));
    const request = { headers: {} } as unknown as IncomingMessage;
    assert.equal(await late.find('', request), undefined);
    await mkdir(join(folder, 'late'));
    await writeFile(join(folder, 'late', 'index.html'), 'here');
    assert.equal(text((await late.find('', request))?.body), 'here');
  });

  it('reads the folder again after it could not be read', async () => {
    const path = join(folder, 'unreadable');
    await writeFile(path, 'a file in the place of the folder');
    const late = new Pages('/console', path);
    const request = { headers: {} } as unknown as IncomingMessage;
    await assert.rejects(late.find('', request), { code: 'ENOTDIR' });
    await rm(path);
    await mkdir(path);
    await writeFile(join(path, 'index.html'), 'there');
    assert.equal(text((await late.find('', request))?.body), 'there');
  });
});
