/** The description as the page shows it: adapted to the address of the page, and to what the component can show. The served one is unchanged. */
import { toClientSample } from './client-samples.ts';
import { type Members, membersOf } from './operation.ts';

/**
 * @param description as `exact-json.ts` reads it.
 * @param serverUrl where the page came from: behind a proxy that is not trusted, the description may name another address.
 */
export function toReadable(description: unknown, serverUrl: string): Members {
  const examples = membersOf(membersOf(membersOf(description)['components'])['examples']);
  const readable = membersOf(toShown(description, examples, serverUrl));
  const info = membersOf(readable['info']);
  const [server] = readable['servers'] as readonly Members[];
  const text = String(info['description']).replaceAll(String(server?.['url']), serverUrl);
  const operations = toOperations(membersOf(description)['paths']);
  return {
    ...readable,
    info: { ...info, description: [text, operations, toErrors(examples)].join('\n\n') },
    servers: [{ ...server, url: serverUrl }],
  };
}

function toShown(value: unknown, examples: Members, serverUrl: string): unknown {
  if (Array.isArray(value)) return value.map((each) => toShown(each, examples, serverUrl));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref: reference, operationId, responses } = value as Members;
  // The component's list of examples has the summaries of those alone that stand in their place.
  if (typeof reference === 'string' && reference.startsWith(examplePrefix))
    return examples[reference.slice(examplePrefix.length)];
  const members = Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, toShown(each, examples, serverUrl)]),
  );
  // The client of the package comes first among the samples of an operation.
  const source = responses === undefined ? undefined : toClientSample(String(operationId), serverUrl);
  if (source === undefined) return withBoundsInWords(members);
  return { ...members, 'x-codeSamples': [{ lang: 'typescript', label: 'plant-store/client', source }] };
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

/** Every operation in one table, with its scope. */
function toOperations(paths: unknown): string {
  const rows = Object.entries(membersOf(paths)).flatMap(([path, item]) =>
    Object.entries(membersOf(item)).map(([method, value]) => {
      const { summary, security, 'x-scope': scope = security === undefined ? 'any token' : 'none' } = membersOf(value);
      return `| \`${method.toUpperCase()} ${path}\` | ${toLine(scope)} | ${toLine(summary)} |`;
    }),
  );
  return ['## All operations\n', '| Operation | Scope | What it does |', '| --- | --- | --- |', ...rows].join('\n');
}

/** Every error under a heading, which the search finds. In the description each is listed at the operations that return it. */
function toErrors(examples: Members): string {
  const errors = Object.values(examples)
    .map(membersOf)
    .filter(({ value }) => membersOf(value)['error'] !== undefined)
    .map(({ description, value }) => {
      const { error, message } = membersOf(value);
      return `### ${toLine(error)}: ${toLine(message)}\n\n${toLine(description)}\n`;
    });
  return ['## All errors\n', ...errors.sort()].join('\n');
}

/** One line, in which Markdown reads nothing as markup. */
function toLine(text: unknown): string {
  return String(text)
    .replaceAll(/[\\`*_|<>[\]]/g, '\\$&')
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ');
}
