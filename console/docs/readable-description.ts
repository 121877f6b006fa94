/** The description as the page shows it: what the component would show wrongly or scattered is said in words. The served description stays as it is. */

type Members = Readonly<Record<string, unknown>>;

/**
 * @param description as `exact-json.ts` reads it.
 * @param serverUrl where the page itself came from: behind a proxy that is not trusted, the description may name another address.
 */
export function toReadable(description: unknown, serverUrl: string): Members {
  const components = membersOf(membersOf(description)['components']);
  const examples = membersOf(components['examples']);
  const readable = membersOf(toShown(description, components));
  const info = membersOf(readable['info']);
  return {
    ...readable,
    info: { ...info, description: `${String(info['description'])}\n\n${toErrorList(examples)}` },
    servers: [{ url: serverUrl, description: 'The service that serves this page.' }],
  };
}

function toShown(value: unknown, components: Members): unknown {
  if (Array.isArray(value)) return value.map((each) => toShown(each, components));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref: reference } = value as Members;
  // The component's list of examples has the summaries of those alone that stand in their place.
  if (typeof reference === 'string' && reference.startsWith(prefixes.example))
    return membersOf(components['examples'])[reference.slice(prefixes.example.length)];
  const members = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toShown(each, components)]));
  return withBoundsInWords('in' in members && 'schema' in members ? withoutValue(members, components) : members);
}

const prefixes = { example: '#/components/examples/', schema: '#/components/schemas/' };

/** The component holds bounds in doubles, and would show those of int64 rounded. */
function withBoundsInWords(schema: Members): Members {
  const { minimum, maximum, description, ...others } = schema;
  if (typeof minimum !== 'bigint' || typeof maximum !== 'bigint') return schema;
  return { ...others, description: joinTexts(`From \`${minimum}\` to \`${maximum}\`.`, description) };
}

/** The component would send the example of an optional parameter unless a person takes it away: a condition, say, that no plant meets. */
function withoutValue(parameter: Members, components: Members): Members {
  const { example, description, schema, required, ...others } = parameter;
  if (required === true || example === undefined) return parameter;
  const name = String(membersOf(schema)['$ref']);
  const target = name.startsWith(prefixes.schema)
    ? membersOf(components['schemas'])[name.slice(prefixes.schema.length)]
    : schema;
  const { examples: _, ...bare } = membersOf(target);
  return { ...others, schema: bare, description: joinTexts(description, `For example \`${example as string}\`.`) };
}

function joinTexts(...texts: readonly unknown[]): string {
  return texts
    .filter((text) => text !== undefined)
    .map(String)
    .map((text) => text.trimEnd())
    .join('\n\n');
}

/** Every error in one place. In the description each stands at the operations that answer it. */
function toErrorList(examples: Members): string {
  const items = Object.values(examples).flatMap((example) => {
    const { description, value } = membersOf(example);
    const { error, message } = membersOf(value);
    return error === undefined ? [] : [`**${toText(error)}** ${toText(message)}  \n${toText(description)}`];
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
