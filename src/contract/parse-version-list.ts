/** Parses If-Match and If-None-Match. Does not evaluate them. */
import { ServiceError } from '../domain/errors.ts';

/**
 * One list element, possibly empty, and its end (RFC 9110, sections 8.8.3 and 5.6.1). Each space
 * matches in one place only: rejecting a field takes one pass, whatever its length.
 */
const listElement = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(,|$)/y;

/**
 * Returns `*`, or the entity tags as sent, with quotes and `W/`.
 *
 * @throws ServiceError `condition_invalid` if the field is neither, or an empty list.
 */
export function parseVersionList(field: string): '*' | readonly string[] {
  if (field.trim() === '*') return '*';
  const tags: string[] = [];
  listElement.lastIndex = 0;
  for (let end = ','; end === ',';) {
    const match = listElement.exec(field);
    if (match === null) throw new ServiceError('condition_invalid');
    const [, tag, separator = ''] = match;
    if (tag !== undefined) tags.push(tag);
    end = separator;
  }
  if (tags.length === 0) throw new ServiceError('condition_invalid');
  return tags;
}
