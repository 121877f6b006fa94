/** The handlers that need no token: what this is, the description, and health. */
import type { FastifyRequest } from 'fastify';
import type { Contract } from '../contract/load-contract.ts';
import { type ServerDescription, serverDescription } from '../contract/server-description.ts';
import { ServiceError } from '../domain/errors.ts';
import type { Store } from '../domain/store.ts';
import { preferredType } from './negotiate.ts';
import { type Answer, ok, securityHeaders } from './reply.ts';

const title = 'Plant Store';
const purpose = 'Keeps plants: exact to its OpenAPI description, exact in int64, every 200 on disk.';

/** GET /: says what this is and links onward, as JSON or as a page. */
export function getRoot({ headers }: FastifyRequest, { document }: Contract, basePath: string): Answer {
  const version = String((document['info'] as { version: unknown }).version);
  if (preferredType(headers.accept, ['application/json', 'text/html']) === 'application/json') {
    const links = { documentation: `${basePath}/openapi.yaml`, openapi: `${basePath}/openapi.json` };
    return ok(JSON.stringify({ name: title, version, description: purpose, ...links }), { vary: 'Accept' });
  }
  const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<h1>${title} ${version}</h1>
<p>${purpose}</p>
<ul>
<li>The description: <a href="${basePath}/openapi.json">JSON</a>, <a href="${basePath}/openapi.yaml">YAML</a>
<li>Health: <a href="${basePath}/livez">live</a>, <a href="${basePath}/readyz">ready</a>
</ul>
</html>
`;
  return {
    status: 200,
    headers: { ...securityHeaders, 'content-type': 'text/html; charset=utf-8', vary: 'Accept' },
    body: page,
  };
}

/** GET /livez: answers as long as the process can. */
export function getLiveness(): Answer {
  return ok('{"status":"live"}');
}

/** GET /readyz: whether requests are taken and the store answers. */
export async function getReadiness(store: Store, isDraining: boolean): Promise<Answer> {
  if (isDraining) throw new ServiceError('shutting_down');
  try {
    await store.ping();
  } catch (cause) {
    throw new ServiceError('store_failed', { cause });
  }
  return ok('{"status":"ready"}');
}

/** GET /openapi.json and /openapi.yaml: the description, with the address at which this request reached the service. */
export class DescriptionPages {
  readonly #contract: Contract;
  readonly #basePath: string;
  /** The pages of the address asked for last: nearly all requests use one. */
  #last: { readonly url: string; readonly pages: ServerDescription } | undefined;

  constructor(contract: Contract, basePath: string) {
    this.#contract = contract;
    this.#basePath = basePath;
  }

  /** GET /openapi.json */
  json(request: FastifyRequest): Answer {
    return ok(this.#pagesFor(request).json);
  }

  /** GET /openapi.yaml */
  yaml(request: FastifyRequest): Answer {
    const headers = { ...securityHeaders, 'content-type': 'application/yaml' };
    return { status: 200, headers, body: this.#pagesFor(request).yaml };
  }

  #pagesFor(request: FastifyRequest): ServerDescription {
    // `protocol` and `host` believe X-Forwarded-* of trusted proxies only.
    const url = `${request.protocol}://${request.host}${this.#basePath}`;
    if (this.#last?.url !== url) this.#last = { url, pages: serverDescription(this.#contract, url) };
    return this.#last.pages;
  }
}
