/** The description as the page shows it: adapted to the address of the page, and to what the component can show. The served one is unchanged. */
import { toClientSample } from './client-samples.ts';
import { type Members, membersOf } from './operation.ts';

/**
 * @param description as `exact-json.ts` reads it.
 * @param serverUrl where the page came from: behind a proxy that is not trusted, the description may name another address.
 */
export function toReadable(description: unknown, serverUrl: string): Members {
  const components = membersOf(membersOf(description)['components']);
  const examples = membersOf(components['examples']);
  const readable = membersOf(toShown(description, components));
  const info = membersOf(readable['info']);
  const text = String(info['description']).replaceAll(sampleUrl, serverUrl);
  return {
    ...readable,
    paths: withClientSamples(membersOf(readable['paths']), serverUrl),
    info: { ...info, description: `${text}\n\n${toErrorTable(examples)}` },
    servers: [{ url: serverUrl, description: 'The service that serves this page.' }],
  };
}

/** The address that texts of the description use. */
const sampleUrl = 'http://127.0.0.1:3000';

/** The client of the package comes first among the samples of an operation. */
function withClientSamples(paths: Members, serverUrl: string): Members {
  const add = (operation: unknown): unknown => {
    const source = toClientSample(String(membersOf(operation)['operationId']), serverUrl);
    if (source === undefined) return operation;
    return { ...membersOf(operation), 'x-codeSamples': [{ lang: 'typescript', label: 'plant-store/client', source }] };
  };
  return mapMembers(paths, (item) => mapMembers(membersOf(item), add));
}

function mapMembers(members: Members, change: (value: unknown) => unknown): Members {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, change(value)]));
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

/** Every error in one table. In the description each is listed at the operations that return it. */
function toErrorTable(examples: Members): string {
  const rows = Object.values(examples).flatMap((example) => {
    const { description, value } = membersOf(example);
    const { error, message } = membersOf(value);
    if (error === undefined) return [];
    return [`| [${toCell(error)}](#error-${toCell(error)}) | ${toCell(message)} | ${toCell(description)} |`];
  });
  return ['## All errors\n', '| Number | Message | Meaning and fix |', '| --- | --- | --- |', ...rows].join('\n');
}

function toCell(text: unknown): string {
  return toText(text)
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ');
}

/** Escapes what Markdown would read as markup. */
function toText(text: unknown): string {
  return String(text).replaceAll(/[\\`*_|<>[\]]/g, '\\$&');
}
