/** One operation of the description, with references resolved: what the page needs to try it and to show samples for it. */

export type Members = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  /** Can be sent several times, each with another value. */
  readonly isList: boolean;
  /** The values that are allowed, if they are few. */
  readonly options: readonly string[];
  readonly example: string;
}

export interface Operation {
  readonly id: string;
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  /** Media types of the body with their examples as text, by name. Empty: there is no body. */
  readonly bodies: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Media types of the response. */
  readonly accepts: readonly string[];
  readonly needsToken: boolean;
}

const methods = ['get', 'put', 'post', 'patch', 'delete'];

/** @param description as `exact-json.ts` reads it. */
export function listOperations(description: Members): readonly Operation[] {
  const resolve = (value: unknown): Members => {
    const { $ref: reference } = membersOf(value);
    if (typeof reference !== 'string') return membersOf(value);
    const found = reference
      .slice(2)
      .split('/')
      .reduce<unknown>((each, key) => membersOf(each)[key], description);
    return resolve(found);
  };
  return Object.entries(membersOf(description['paths'])).flatMap(([path, item]) =>
    Object.entries(membersOf(item))
      .filter(([method]) => methods.includes(method))
      .map(([method, value]) => {
        const operation = membersOf(value);
        return {
          id: String(operation['operationId']),
          method: method.toUpperCase(),
          path,
          summary: String(operation['summary']),
          parameters: listOf(operation['parameters']).map((each) => toParameter(resolve(each), resolve)),
          bodies: toBodies(resolve(operation['requestBody']), resolve),
          accepts: Object.keys(membersOf(resolve(membersOf(operation['responses'])['200'])['content'])),
          needsToken: listOf(operation['security'] ?? description['security']).length > 0,
        };
      }),
  );
}

function toParameter(parameter: Members, resolve: (value: unknown) => Members): Parameter {
  const schema = resolve(parameter['schema']);
  const place = parameter['in'];
  const options = schema['type'] === 'boolean' ? ['true', 'false'] : listOf(schema['enum']).map(String);
  const required = parameter['required'] === true;
  return {
    name: String(parameter['name']),
    in: place === 'path' || place === 'header' ? place : 'query',
    required,
    description: toText(parameter['description'] ?? schema['description']),
    isList: schema['type'] === 'array',
    options,
    // Only what must be sent is filled in: a made-up condition would fail.
    example: required ? toText(parameter['example'] ?? listOf(schema['examples'])[0]) : '',
  };
}

function toBodies(body: Members, resolve: (value: unknown) => Members): Operation['bodies'] {
  return new Map(
    Object.entries(membersOf(body['content'])).map(([type, value]) => {
      const { example, examples } = membersOf(value);
      const named = Object.entries(membersOf(examples)).map(([, each]) => {
        const { summary, value: text } = resolve(each);
        return [toText(summary), toBodyText(text)] as const;
      });
      return [type, new Map(named.length > 0 ? named : [['Example', toBodyText(example)]])];
    }),
  );
}

function toBodyText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function toText(value: unknown): string {
  return value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}

export function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
