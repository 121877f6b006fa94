/** An error as a page, for people who open an address in a browser. Programs get JSON (wire/reply.ts). */
import type { IncomingMessage } from 'node:http';
import type { Operation } from '../../contract/operations.ts';
import { errors } from '../../domain/error-registry.ts';
import { ServiceError } from '../../domain/errors.ts';
import { nodeHttp } from '../wire/node-http.ts';
import { preferredType } from '../wire/preferred-type.ts';
import type { Reply } from '../wire/reply.ts';
import { toRoot } from '../wire/target.ts';
import { plainPageHeaders, toHtml, toPlainPage } from './plain-page.ts';

export interface ErrorPage {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly basePath: string;
  /** The operation of the address; undefined if the address is not in the description. */
  readonly operation: Operation | undefined;
}

/**
 * Returns the reply as a page, with the same status and header fields, if a browser opened the
 * address; otherwise as it is. A request with a token comes from a program.
 */
export function toErrorPage(reply: Reply, error: Error, page: ErrorPage): Reply {
  const { method, headers } = page.request;
  if (method !== 'GET' && method !== 'HEAD') return reply;
  if (headers.authorization !== undefined) return reply;
  if (preferredType(headers.accept, ['application/json', 'text/html']) !== 'text/html') return reply;
  const known = error instanceof ServiceError ? error : new ServiceError('internal');
  return { ...reply, headers: { ...reply.headers, ...plainPageHeaders }, body: toText(known, page) };
}

function toText(error: ServiceError, page: ErrorPage): string {
  const { request, requestId, basePath, operation } = page;
  const { status, number, code, message } = error;
  const { meaning, remedy } = errors[code];
  const root = toRoot(request, basePath);
  const [title, advice] = toWords(status, message, operation);
  return toPlainPage({
    title,
    root,
    lead: `<p class="lead">${advice}`,
    console: findInConsole(page),
    rest: `<div>
<p><strong>For developers</strong>
<p class="error">${toHtml(`${message}. ${meaning} ${remedy}`)}
</div>
<ul class="more">
<li>Status ${status} ${nodeHttp.STATUS_CODES[status] ?? ''}
<li><a href="${root}docs#error-${number}">Error ${number}</a>
<li>Request <code>${toHtml(requestId)}</code>
<li><a href="${root === '' ? './' : root}">Start page</a>
</ul>`,
  });
}

/** For people who may know nothing of HTTP; the error itself is below. */
function toWords(status: number, message: string, operation: Operation | undefined): [title: string, advice: string] {
  if (status >= 500) return ['The service cannot answer now', 'Try again in a moment.'];
  if (operation !== undefined) return ['This address is for programs', 'In a browser, use the console.'];
  if (status === 404) return ['There is no page at this address', 'Check the address, or go on from here.'];
  return [message, 'Check the address, or go on from here.'];
}

/** What the address is about, where the console can show it. */
function findInConsole({ request, operation }: ErrorPage): [query: string, words: string] | undefined {
  const [, id] = /^[^?]*\/plants\/(-?\d{1,19})(?:\/history)?(?:\?|$)/.exec(request.url ?? '') ?? [];
  if (id !== undefined) return [`?plant=${id}`, `Open plant ${id}.`];
  const [, view] = /^\/(tags|tokens|webhooks)/.exec(operation?.path ?? '') ?? [];
  return view === undefined ? undefined : [`?view=${view}`, `Open the ${view}.`];
}
