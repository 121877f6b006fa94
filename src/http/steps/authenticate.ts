/** Finds the principal by the Authorization field (400, 401), and what it may do (403), before the body is read. */
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../domain/errors.ts';
import type { Principal, Scope, TokenRefusal } from '../../domain/principal.ts';
import { countField } from '../wire/count-field.ts';
import { challenge, HttpError, scopeMissing } from '../wire/reply.ts';

export interface PrincipalFinder {
  /** Finds the principal that a token stands for, or why it is refused. */
  find(token: string, request: IncomingMessage): Principal | TokenRefusal | Promise<Principal | TokenRefusal>;
  /** Says which tokens there are, for a request without one. Absent: it is not for everybody to know. */
  readonly rule?: string;
  /** Says why a principal lacks a scope. Absent: its token was made without it, or its claims lack it. */
  explainMissing?(scope: Scope): string;
}

/** `token_invalid`, with what is known about the token. */
export class TokenRefusedError extends HttpError {
  readonly refusal: TokenRefusal;

  constructor(refusal: TokenRefusal) {
    const { detail } = refusal;
    const field = `${challenge}, error="invalid_token"${detail === undefined ? '' : `, error_description="${detail}"`}`;
    super('token_invalid', { 'www-authenticate': field }, detail);
    this.refusal = refusal;
  }
}

const bearerPattern = /^bearer(?: +(.+))?$/i;

/**
 * Resolves to the principal; returns no promise if the token is cached.
 * @throws ServiceError `credentials_misplaced`, `token_missing` or `token_invalid`.
 */
export function authenticate(request: IncomingMessage, principals: PrincipalFinder): Principal | Promise<Principal> {
  const { authorization } = request.headers;
  if (countField(request.rawHeaders, 'authorization') > 1 || hasTokenInUrl(request))
    throw new ServiceError('credentials_misplaced');
  // The form may have a token. A client that sends JSON under this type, such as curl without -H,
  // learns why it is refused.
  if (authorization === undefined && isForm(request))
    throw new ServiceError('credentials_misplaced', {
      detail:
        'The request has no Authorization header, and a form as its body: JSON needs "Content-Type: application/json"',
    });
  const token = authorization === undefined ? undefined : bearerPattern.exec(authorization)?.[1];
  if (token === undefined)
    throw new ServiceError('token_missing', principals.rule === undefined ? {} : { detail: principals.rule });
  const found = principals.find(token, request);
  return found instanceof Promise ? found.then(toPrincipal) : toPrincipal(found);
}

function toPrincipal(found: Principal | TokenRefusal): Principal {
  if ('reason' in found) throw new TokenRefusedError(found);
  return found;
}

/** @throws ServiceError `scope_missing`. */
export function permit(
  { scopes, scopeOrigin }: Principal,
  scope: Scope | undefined,
  principals: PrincipalFinder,
): void {
  if (scope !== undefined && !scopes.has(scope))
    throw scopeMissing(scope, { why: principals.explainMissing?.(scope), description: scopeOrigin });
}

/** RFC 6750, section 2.3: supporting tokens in the query is optional; we refuse them. */
function hasTokenInUrl({ url = '' }: IncomingMessage): boolean {
  const query = url.indexOf('?');
  return query !== -1 && new URLSearchParams(url.slice(query)).has('access_token');
}

function isForm({ headers }: IncomingMessage): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '');
}
