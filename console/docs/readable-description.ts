/** The description as the page shows it: what the component would show wrongly or scattered is said in words. The served description stays as it is. */

type Members = Readonly<Record<string, unknown>>;

/**
 * @param description as `exact-json.ts` reads it.
 * @param serverUrl where the page itself came from: behind a proxy that is not trusted, the description may name another address.
 */
export function toReadable(description: unknown, serverUrl: string): Members {
  const { examples } = membersOf(membersOf(description)['components']);
  const readable = membersOf(toShown(description, membersOf(examples)));
  const info = membersOf(readable['info']);
  return {
    ...readable,
    info: { ...info, description: `${String(info['description'])}\n\n${toErrorList(membersOf(examples))}` },
    servers: [{ url: serverUrl, description: 'The service that serves this page.' }],
  };
}

function toShown(value: unknown, examples: Members): unknown {
  if (Array.isArray(value)) return value.map((each) => toShown(each, examples));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref: reference } = value as Members;
  // The component's list of examples has the summaries of those alone that stand in their place.
  if (typeof reference === 'string' && reference.startsWith(examplePrefix))
    return examples[reference.slice(examplePrefix.length)];
  const members = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toShown(each, examples)]));
  const { minimum, maximum, ...others } = members;
  if (typeof minimum !== 'bigint' || typeof maximum !== 'bigint') return members;
  // The component holds bounds in doubles, and would show those of int64 rounded.
  const bounds = `From \`${minimum}\` to \`${maximum}\`.`;
  return { ...others, description: [bounds, others['description']].filter(Boolean).join('\n\n') };
}

const examplePrefix = '#/components/examples/';

/** Every error in one place. In the description each stands at the operations that answer it. */
function toErrorList(examples: Members): string {
  const items = Object.values(examples).flatMap((example) => {
    const { description, value } = membersOf(example);
    const { error, message } = membersOf(value);
    return error === undefined ? [] : [`**${String(error)}** ${toText(message)}  \n${toText(description)}`];
  });
  return ['## All errors', ...items].join('\n\n');
}

/** Text that Markdown would read as markup is escaped. */
function toText(text: unknown): string {
  return String(text).replaceAll(/[\\`*_|<>[\]]/g, '\\$&');
}

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}
