/** The conditions If-Match and If-None-Match out of their header fields. Whether a plant meets one is not decided here. */
import { ServiceError } from '../domain/errors.ts';

/**
 * RFC 9110, sections 8.8.3 and 5.6.1: one element of the list, perhaps empty, and what ends it. Each space has one place to be
 * in, so that a malformed field of any length is refused in one pass.
 */
const listElement = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(,|$)/y;

/**
 * `*`, or the entity tags as they were sent, with their quotes and `W/`.
 *
 * @throws ServiceError `condition_invalid` when the field is neither, or lists nothing.
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
