/** The documentation page and its files as the service serves them: compressed, cacheable, and under a policy (support/check-page.ts). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get as getHttp, type IncomingMessage } from 'node:http';
import { after, describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { assertError } from '../support/assert-reply.ts';
import { request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';

await import('../../scripts/ensure-console.ts');
const basePath = '/api/v1';
const service = await startService({ after }, { env: { PLANT_STORE_BASE_PATH: basePath } });
const get = (path: string, headers: Record<string, string> = {}): ReturnType<typeof request> =>
  request(service, { path, token: null, headers });

const page = (await get('/docs')).text;
const links = [...page.matchAll(/(?:src|href)="\.(\/docs\/\w[^"]+)"/g)].map(([, link = '']) => link);

describe('/docs', () => {
  it('links to scripts, styles and pictures of the service alone, and has no script within', () => {
    assert.ok(links.filter((link) => link.endsWith('.js')).length === 2 && links.length >= 4, links.join());
    assert.doesNotMatch(page, /https?:|<style|\bon\w+=|<script(?![^>]* src="\.\/docs\/assets\/)/);
  });

  it('links to what is there, with and without a slash at its end', async () => {
    for (const path of ['/docs', '/docs/']) {
      const found = [...(await get(path)).text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link);
      assert.ok(found.length > links.length, found.join());
      for (const link of found) {
        const { pathname } = new URL(link, `${service.url}${path}`);
        assert.ok(pathname.startsWith(`${basePath}/`), pathname);
        assert.equal((await get(pathname.slice(basePath.length))).status, 200, `${link} of ${path}`);
      }
    }
  });

  it('may style itself inline, and nothing else; nobody may frame it', async () => {
    const policy = (await get('/docs')).headers['content-security-policy'] ?? '';
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';/);
    assert.match(policy, /frame-ancestors 'none'/);
  });

  it('has files that are named by content, cached permanently, and compressed for every browser', async () => {
    for (const link of links) {
      const { headers, body } = await get(link);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable', link);
      for (const [encoding, decompress] of [
        ['br', brotliDecompressSync],
        ['gzip', gunzipSync],
      ] as const) {
        const compressed = await getEncoded(link, encoding);
        assert.ok(compressed.length < body.length, link);
        assert.deepEqual(decompress(compressed), Buffer.from(body), link);
      }
    }
  });

  it('is not sent again to a browser that has it, and has nothing else to give', async () => {
    const { headers } = await get('/docs');
    assert.equal((await get('/docs', { 'if-none-match': headers['etag'] ?? '' })).status, 304);
    for (const path of ['/docs/assets/none.js', '/docs/../openapi.yaml', '/docs/index.html.br', '/docsx'])
      assertError(await get(path), 'path_unknown', path);
  });
});

/** The compressed bytes. */
async function getEncoded(link: string, encoding: string): Promise<Buffer> {
  const asked = getHttp(`${service.url}${link}`, { headers: { 'accept-encoding': encoding } });
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const bytes = Buffer.concat((await response.toArray()) as Buffer[]);
  assert.deepEqual(
    [response.headers['content-encoding'], response.headers['content-length'], response.headers.vary],
    [encoding, String(bytes.length), 'Accept-Encoding'],
    link,
  );
  return bytes;
}
