/** An error as a page, for people who open an address in a browser. Programs get JSON (wire/reply.ts). */
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { errors } from '../../domain/error-registry.ts';
import { ServiceError } from '../../domain/errors.ts';
import { preferredType } from '../wire/preferred-type.ts';
import type { Reply } from '../wire/reply.ts';
import { toRoot } from '../wire/target.ts';
import { plainPageHeaders, toHtml, toPlainPage } from './plain-page.ts';

export interface ErrorPage {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly basePath: string;
  /** Whether the address is one for programs. */
  readonly isOperation: boolean;
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

function toText(error: ServiceError, { request, requestId, basePath, isOperation }: ErrorPage): string {
  const { status, number, code, message } = error;
  const { meaning, remedy } = errors[code];
  const root = toRoot(request, basePath);
  const [title, advice] = toWords(status, message, isOperation);
  return toPlainPage({
    title,
    root,
    lead: `<p class="lead">${advice}`,
    rest: `<p class="error">${toHtml(`${message}. ${meaning} ${remedy}`)}
<ul class="more">
<li>Status ${status} ${STATUS_CODES[status] ?? ''}
<li><a href="${root}docs#error-${number}">Error ${number}</a>
<li>Request <code>${toHtml(requestId)}</code>
<li><a href="${root === '' ? './' : root}">Start page</a>
</ul>`,
  });
}

/** For people who may know nothing of HTTP; the error itself is below. */
function toWords(status: number, message: string, isOperation: boolean): [title: string, advice: string] {
  if (status >= 500) return ['The service cannot answer now', 'Try again in a moment.'];
  if (isOperation) return ['This address is for programs', 'In a browser, use the console.'];
  return [message, 'Check the address, or go on from here.'];
}
