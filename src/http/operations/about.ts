/** Handlers of the public operations but the description: service info and health. */
import type { Contract } from '../../contract/load-contract.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Store } from '../../domain/store.ts';
import { ok, type Reply, securityHeaders } from '../wire/reply.ts';
import type { Call } from './call.ts';

const title = 'Plant Store';
const purpose =
  'A small HTTP API for storing plants, with exact 64-bit ids. A plant is on disk before the request is answered.';

/**
 * GET /: service info and links, as JSON or as a page. They are relative: a proxy may have cut
 * a prefix.
 */
export function getRoot({ mediaType }: Call<'getRoot'>, { document }: Contract): Reply {
  const version = String((document['info'] as { version: unknown }).version);
  if (mediaType === 'application/json') {
    const links = {
      documentation: 'docs',
      console: 'console',
      openapi: 'openapi.json',
    };
    return ok(JSON.stringify({ name: title, version, description: purpose, ...links }), { vary: 'Accept' });
  }
  return {
    status: 200,
    headers: {
      ...securityHeaders,
      'content-security-policy': pagePolicy,
      'content-type': 'text/html; charset=utf-8',
      vary: 'Accept',
    },
    body: toRootPage(version),
  };
}

/** Allows the service's own style sheet and icon, and no scripts. */
const pagePolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function toRootPage(version: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${purpose}">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="docs/icon.svg">
<link rel="stylesheet" href="docs/home.css">
<main>
<svg viewBox="0 0 32 32" width="56" height="56" aria-hidden="true">
<rect class="ground" width="32" height="32" rx="8"/><path class="stem" d="M16 26V14"/>
<path class="leaf" d="M16 17c0-5 3.4-8.4 9.5-8.6C25.7 14 22 17.3 16 17Z"/>
<path class="leaf-near" d="M16 21c0-4.2-3-7.2-9-7.4C6.8 18.5 10.5 21.3 16 21Z"/>
</svg>
<div>
<h1>${title}</h1>
<p class="lead">${purpose}
</div>
<ul class="ways">
<li><a href="docs"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6 4h9l4 4v12H6zM15 4v4h4M9 12h7M9 16h7"/></svg>
<strong>API documentation</strong> Read the reference and try each request.</a>
<li><a href="console"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 5h16v14H4zM4 10h16M9 10v9"/></svg>
<strong>Console</strong> Search, add and edit plants in the browser.</a>
</ul>
<p>You need an access token: the first one is in the file <code>initial-token</code> in the data folder of the service. With PostgreSQL, create
one with <code>plant-store token create</code>.
<ul class="more">
<li>Version ${version}
<li><a href="openapi.json">openapi.json</a>
<li><a href="openapi.yaml">openapi.yaml</a>
</ul>
</main>
</html>
`;
}

/** GET /livez: replies while the process runs. */
export function getLiveness(): Reply {
  return ok('{"status":"live"}');
}

/** GET /readyz: whether the service accepts requests and the store can be read. */
export async function getReadiness(store: Store, shutdown: AbortSignal): Promise<Reply> {
  if (shutdown.aborted) throw new ServiceError('shutting_down');
  try {
    await store.ping();
  } catch (cause) {
    throw cause instanceof ServiceError ? cause : new ServiceError('store_failed', { cause });
  }
  return ok('{"status":"ready"}');
}
