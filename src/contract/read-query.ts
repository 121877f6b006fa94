/** A query taken apart and decoded, strictly. What a value must look like is not known here. */
import { ServiceError } from '../domain/errors.ts';

/**
 * The known parameters of a query, decoded as HTML forms encode them: `&` between parameters, `+` for a space, and percent
 * escapes of UTF-8. A parameter without `=` is an empty one. Unknown parameters are passed over, whatever they hold.
 *
 * @param query the text behind `?`, as it was sent.
 * @throws ServiceError `query_invalid` when a known parameter is given twice, or is not encoded so.
 */
export function readQuery(query: string, known: ReadonlySet<string>): Map<string, string> {
  const values = new Map<string, string>();
  for (const part of query.split('&')) {
    const equals = part.indexOf('=');
    const name = decode(equals === -1 ? part : part.slice(0, equals));
    if (name === undefined || !known.has(name)) continue;
    if (values.has(name)) throw queryInvalid(name, 'must be given once');
    const value = equals === -1 ? '' : decode(part.slice(equals + 1));
    if (value === undefined) throw queryInvalid(name, 'must be percent-encoded UTF-8');
    values.set(name, value);
  }
  return values;
}

/** @param wanted what the parameter must be, or do; never what it was. */
export function queryInvalid(name: string, wanted: string): ServiceError {
  return new ServiceError('query_invalid', { detail: `"${name}" ${wanted}` });
}

/** Undefined when an escape is malformed, or the escapes are not UTF-8, or a character stands bare that no URL may hold. */
function decode(text: string): string | undefined {
  if (/^[\w.-]*$/.test(text)) return text;
  if (/[^\x21-\x7e]/.test(text)) return undefined;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
