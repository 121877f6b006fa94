/** Splits and decodes a query, strictly. Does not check values. */
import { ServiceError } from '../domain/errors.ts';

/**
 * Returns the known parameters of a query with the values of each, form-decoded: `&` between
 * parameters, `+` for a space, percent escapes of UTF-8. A parameter without `=` is empty. Ignores
 * unknown parameters.
 *
 * @param query the text after `?`, as sent.
 * @param known whether each can be repeated.
 * @throws ServiceError `query_invalid` if one that cannot is repeated, or is not encoded like this.
 */
export function readQuery(query: string, known: ReadonlyMap<string, boolean>): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const part of query.split('&')) {
    const equals = part.indexOf('=');
    const name = decode(equals === -1 ? part : part.slice(0, equals));
    if (name === undefined || !known.has(name)) continue;
    const before = values.get(name);
    if (before !== undefined && known.get(name) !== true) throw queryInvalid(name, 'must be given once');
    const value = equals === -1 ? '' : decode(part.slice(equals + 1));
    if (value === undefined) throw queryInvalid(name, 'must be percent-encoded UTF-8');
    if (before === undefined) values.set(name, [value]);
    else before.push(value);
  }
  return values;
}

/** @param wanted what the parameter must be or do; never the value sent. */
export function queryInvalid(name: string, wanted: string): ServiceError {
  return new ServiceError('query_invalid', { detail: `"${name}" ${wanted}` });
}

/** Returns undefined if an escape is malformed or not UTF-8, or a character must be escaped. */
function decode(text: string): string | undefined {
  if (/^[\w.-]*$/.test(text)) return text;
  if (/[^\x21-\x7e]/.test(text)) return undefined;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
