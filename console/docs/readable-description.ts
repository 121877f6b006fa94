/** The description as the page shows it: what the component would show wrongly is said in words. The served description stays as it is. */

type Members = Record<string, unknown>;

/**
 * @param description as `exact-json.ts` reads it.
 * @param serverUrl where the page itself came from: behind a proxy that is not trusted, the description may name another address.
 */
export function toReadable(description: unknown, serverUrl: string): unknown {
  const readable = withBoundsInWords(description) as Members;
  return { ...readable, servers: [{ url: serverUrl, description: 'The service that serves this page.' }] };
}

/** The component holds bounds in doubles, and would show those of int64 rounded. */
function withBoundsInWords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withBoundsInWords);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withBoundsInWords(each)]));
  const { minimum, maximum, ...others } = members;
  if (typeof minimum !== 'bigint' || typeof maximum !== 'bigint') return members;
  const bounds = `From \`${minimum}\` to \`${maximum}\`.`;
  return { ...others, description: [bounds, others['description']].filter(Boolean).join('\n\n') };
}
