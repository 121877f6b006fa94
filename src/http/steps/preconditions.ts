/** Preconditions of resources without an ETag (RFC 9110, section 13.2.1), so not of plants. */
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../domain/errors.ts';

/**
 * @throws ServiceError `condition_not_met`: no tag matches, and `*` excludes to write what
 * exists. A read that If-None-Match would end with 304 is answered in full.
 */
export function checkPreconditions({ method, headers }: IncomingMessage): void {
  const ifMatch = headers['if-match'];
  const isRead = method === 'GET' || method === 'HEAD';
  const excludesWrite = !isRead && headers['if-none-match']?.trim() === '*';
  if ((ifMatch !== undefined && ifMatch.trim() !== '*') || excludesWrite) throw new ServiceError('condition_not_met');
}
