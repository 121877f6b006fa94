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
  const [server] = readable['servers'] as readonly Members[];
  const text = String(info['description']).replaceAll(String(server?.['url']), serverUrl);
  return {
    ...readable,
    paths: withClientSamples(membersOf(readable['paths']), serverUrl),
    info: { ...info, description: `${text}\n\n${toErrorTable(examples)}` },
    servers: [{ url: serverUrl, description: 'This service' }],
  };
}

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
  if (typeof reference === 'string' && reference.startsWith(examplePrefix))
    return membersOf(components['examples'])[reference.slice(examplePrefix.length)];
  const members = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toShown(each, components)]));
  return withBoundsInWords(members);
}

const examplePrefix = '#/components/examples/';

/** The component holds bounds in doubles, and would show those of int64 rounded. */
function withBoundsInWords(schema: Members): Members {
  const { minimum, maximum, description, ...others } = schema;
  if (typeof minimum !== 'bigint' || typeof maximum !== 'bigint') return schema;
  return {
    ...others,
    description: [`From \`${minimum}\` to \`${maximum}\`.`, description].filter(Boolean).join('\n\n').trimEnd(),
  };
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
