/** Handlers of the public operations but the description: service info and health. */
import type { Contract } from '../../contract/load-contract.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Store } from '../../domain/store.ts';
import { plainPageHeaders, toPlainPage } from '../pages/plain-page.ts';
import { ok, type Reply } from '../wire/reply.ts';
import type { Call } from './call.ts';

const title = 'Plant Store';
const purpose = 'A small HTTP API for storing plants, with exact 64-bit ids.';
const promise = 'A plant is on disk before the request is answered.';
const sandboxPromise = 'This sandbox keeps plants in memory only.';

/** GET /: service info and links, as JSON or as a page. Relative: a proxy may have cut a prefix. */
export function getRoot({ mediaType }: Call<'getRoot'>, { document }: Contract, isSandbox: boolean): Reply {
  const description = `${purpose} ${isSandbox ? sandboxPromise : promise}`;
  const version = String((document['info'] as { version: unknown }).version);
  if (mediaType === 'application/json') {
    const links = {
      documentation: 'docs',
      console: 'console',
      openapi: 'openapi.json',
      sample: 'sample/openapi.json',
    };
    return ok(JSON.stringify({ name: title, version, description, ...links }), { vary: 'Accept' });
  }
  return {
    status: 200,
    headers: { ...plainPageHeaders, vary: 'Accept' },
    body: toRootPage(version, description, isSandbox),
  };
}

const tokenAdvice = `You need an access token: the first one is in the file <code>initial-token</code> in the data folder of the service.
With PostgreSQL, create one with <code>plant-store token create</code>.`;
const sandboxAdvice = `This is a sandbox: the console and the documentation open at once. Programs send any token such as
<code>sandbox-my-first-space</code>, which names their plants.`;

function toRootPage(version: string, description: string, isSandbox: boolean): string {
  return toPlainPage({
    title,
    root: '',
    lead: '<p class="lead">Your plants with their names and tags: <a href="console">open the console</a>.',
    rest: `<p>${isSandbox ? sandboxAdvice : tokenAdvice}
<p><strong>For developers:</strong> ${description}
<ul class="more">
<li>Version ${version}
<li><a href="openapi.json">openapi.json</a>
<li><a href="openapi.yaml">openapi.yaml</a>
<li><a href="sample/openapi.json">sample/openapi.json</a>: <code>POST /plants</code> alone
</ul>`,
  });
}

/** GET /livez: replies while the process runs. */
export function getLiveness(): Reply {
  return ok('{"status":"live"}');
}

/** GET /readyz: whether the service accepts requests and the store can be read. */
export async function getReadiness(store: Store, stopping: AbortSignal): Promise<Reply> {
  if (stopping.aborted) throw new ServiceError('shutting_down');
  try {
    await store.ping();
  } catch (cause) {
    throw cause instanceof ServiceError ? cause : new ServiceError('store_failed', { cause });
  }
  return ok('{"status":"ready"}');
}
