/** The addresses of lists: queries made of filters, and the link to the next page in a response. */
import { ConnectionError } from './errors.ts';

/** The query with its `?`, or nothing. Leaves out undefined, keeps an empty text: `tag=`. */
export function toQuery(
  parameters: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const each of typeof value === 'object' ? value : [value]) {
      if (each === undefined) continue;
      const text = String(each);
      // It would silently become another text on its way into the address.
      if (!text.isWellFormed())
        throw new TypeError(`Cannot ask for plants: "${name}" must not hold half of a surrogate pair`);
      query.append(name, text);
    }
  }
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/**
 * The query of the link with `rel="next"` (RFC 8288); undefined when there is none. Only the
 * query is taken: behind a proxy the service may not know its own address, and the token must
 * go nowhere else.
 */
export function parseNextQuery(link: string | null): string | undefined {
  if (link === null) return undefined;
  for (const [, target = '', parameters = ''] of link.matchAll(
    /<([^>]*)>((?:\s*;\s*\w+\s*=\s*(?:"[^"]*"|[^\s",;]+))*)/g,
  )) {
    if (!/;\s*rel\s*=\s*(?:"(?:[^"]* )?next(?: [^"]*)?"|next(?=\s*(?:;|$)))/i.test(parameters)) continue;
    const query = /\?[^#]*/.exec(target)?.[0];
    if (query === undefined)
      throw new ConnectionError('response', 'Cannot use the response: its link to the next page has no query');
    return query;
  }
  return undefined;
}
