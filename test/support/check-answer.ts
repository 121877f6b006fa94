/** Checks a response against the description: status, media type, header fields, body, and the error registry. Ignores trailer fields. */
import { parse as parseYaml } from 'yaml';
import type { Contract } from '../../src/contract/load-contract.ts';
import { membersOf, resolve } from '../../src/contract/description.ts';
import type { JsonObject, JsonValue } from '../../src/json/parse-json.ts';
import { SchemaCompiler } from '../../src/contract/schema-compiler.ts';
import type { Validate } from '../../src/contract/schema-compiler.ts';
import { errors } from '../../src/domain/error-registry.ts';
import { toInt64 } from '../../src/json/int64.ts';
import { parseJson } from '../../src/json/parse-json.ts';
import { checkCsv, checkNdjson } from './check-rows.ts';
import type { CheckRow } from './check-rows.ts';
import { sample } from './read-contract.ts';

export interface Answer {
  /** The method of the request. */
  readonly method: string;
  /** The target of the request, as sent: with base path and query. */
  readonly path: string;
  readonly basePath?: string;
  readonly status: number;
  /** In any letter case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string | Uint8Array;
}

/** What JSON must escape: U+007F to 9F, line and paragraph separators, and controls of direction. */
export const unescaped = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** Returns one line per violation; empty if the response is as documented. */
export function checkAnswer(contract: Contract, answer: Answer): string[] {
  const headers = new Map(
    Object.entries(answer.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), typeof value === 'string' ? value : value.join(', ')] as const],
    ),
  );
  const path = toDescribedPath(answer);
  const body = typeof answer.body === 'string' ? answer.body : decode(answer.body);
  const seen: Seen = { method: answer.method, path, status: answer.status, headers, body: body ?? '' };
  if (body === undefined) return prefix(seen, ['the body is no UTF-8']);
  if (/json|event-stream/.test(headers.get('content-type') ?? '') && unescaped.test(seen.body))
    return prefix(seen, ['a character that ends lines, controls terminals or turns text is not escaped']);
  if (answer.method === 'OPTIONS' && answer.status === 204) return prefix(seen, checkPreflight(seen));
  const candidates = findResponses(contract, seen);
  if (candidates.length === 0) return prefix(seen, ['the status is not documented']);
  // Several responses may share a status; one of them must match.
  const results = candidates.map((response) => checkResponse(contract, seen, response));
  const best = results.reduce((fewest, each) => (each.length < fewest.length ? each : fewest));
  return prefix(seen, best.length > 0 ? best : checkBySample(seen));
}

/** A response with normalised header fields. */
interface Seen {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** By name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

function prefix({ method, path, status }: Seen, violations: string[]): string[] {
  return violations.map((violation) => `${method} ${path} answered ${status}: ${violation}`);
}

function toDescribedPath({ path, basePath = '' }: Answer): string {
  const [bare = ''] = path.split('?');
  if (basePath === '') return bare;
  // There are no operations outside the base path; the leading space makes a path without one.
  return bare.startsWith(`${basePath}/`) ? bare.slice(basePath.length) : ` ${bare}`;
}

/** Returns the documented responses of a status: of the operation, or without one those of the components. */
function findResponses(contract: Contract, { method, path, status }: Seen): JsonObject[] {
  const { document } = contract;
  const operation = contract.paths.find(path)?.operations.get(method);
  // Methods and versions are refused before finding an operation.
  if (operation !== undefined && status !== 501 && status !== 505) {
    const response = membersOf(operation.definition['responses'])[String(status)];
    return response === undefined ? [] : [resolve(document, response)];
  }
  return Object.values(membersOf(membersOf(document['components'])['responses']))
    .map(membersOf)
    .filter((response) => numbersOf(document, response).some((number) => Math.floor(number / 100) === status));
}

/** Returns the error numbers of a response's examples. */
function numbersOf(document: JsonObject, response: JsonObject): number[] {
  return Object.values(membersOf(response['content']))
    .flatMap((media) => Object.values(membersOf(membersOf(media)['examples'])))
    .map((example) => membersOf(resolve(document, example)['value'])['error'])
    .filter((number) => typeof number === 'number');
}

function checkResponse(contract: Contract, seen: Seen, response: JsonObject): string[] {
  return [...checkHeaders(contract, seen, response), ...checkContent(contract, seen, response)];
}

function checkHeaders(contract: Contract, { headers }: Seen, response: JsonObject): string[] {
  return Object.entries(membersOf(response['headers'])).flatMap(([name, reference]) => {
    const header = resolve(contract.document, reference);
    const text = headers.get(name.toLowerCase());
    if (text === undefined) return header['required'] === true ? [`the header field ${name} is missing`] : [];
    const schema = membersOf(header['schema']);
    const value = schema['type'] === 'integer' ? (toInt64(text) ?? text) : text;
    const error = validatorOf(contract, schema)(value);
    return error === undefined ? [] : [`the header field ${name} breaks "${error.keyword}" of its schema: ${text}`];
  });
}

function checkContent(contract: Contract, seen: Seen, response: JsonObject): string[] {
  const { method, status, headers, body } = seen;
  const isEmpty = method === 'HEAD' || status === 204 || status === 304;
  if (isEmpty && body !== '') return ['it has a body, and must not have one'];
  const content = membersOf(response['content']);
  const [mediaType = '', ...parameters] = (headers.get('content-type') ?? '').split(';').map((part) => part.trim());
  if (mediaType === '') return isEmpty || Object.keys(content).length === 0 ? [] : ['it has no Content-Type'];
  if (mediaType === 'text/html' && status >= 400 && (method === 'GET' || method === 'HEAD'))
    return isEmpty ? [] : checkError(contract, seen, readErrorPage(body), response);
  const media = content[mediaType.toLowerCase()];
  if (media === undefined) return [`the media type ${mediaType} is not documented`];
  const alien = parameters.filter((parameter) => !isKnownParameter(mediaType, parameter.toLowerCase()));
  if (alien.length > 0) return [`the media type has the parameter ${alien.join()}`];
  if (isEmpty) return [];
  const checkRows = rowChecks.get(mediaType.toLowerCase());
  if (checkRows !== undefined) return checkRows(body, toRowCheck(contract, membersOf(media)['x-row-schema']));
  let value: unknown = body;
  try {
    if (mediaType === 'application/json') value = parseJson(body);
    else if (mediaType === 'application/yaml') value = parseYaml(body);
  } catch (error) {
    return [`the body is no JSON: ${String(error)}`];
  }
  const schema = membersOf(media)['schema'] ?? {};
  const error = validatorOf(contract, membersOf(schema))(value);
  if (error !== undefined)
    return [`the body breaks "${error.keyword}" at /${error.path.join('/')}: ${body.slice(0, 200)}`];
  return status >= 400 ? checkError(contract, seen, value, response) : [];
}

/** The sample knows a success and an error: each answer of its operation must be one of them. */
function checkBySample({ method, path, status, body }: Seen): string[] {
  const operation = sample.paths.find(path)?.operations.get(method);
  if (operation === undefined) return [];
  const response = membersOf(operation.definition['responses'])[status === 200 ? '200' : '400'];
  const media = membersOf(membersOf(membersOf(response)['content'])['application/json']);
  const error = validatorOf(sample, membersOf(media['schema']))(parseJson(body));
  return error === undefined ? [] : [`the body breaks "${error.keyword}" of the sample`];
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** RFC 4180, section 3, defines this parameter for CSV. */
function isKnownParameter(mediaType: string, parameter: string): boolean {
  return parameter === 'charset=utf-8' || (mediaType.toLowerCase() === 'text/csv' && parameter === 'header=present');
}

const rowChecks = new Map([
  ['application/x-ndjson', checkNdjson],
  ['text/csv', checkCsv],
]);

function toRowCheck(contract: Contract, schema: JsonValue | undefined): CheckRow {
  if (schema === undefined) throw new Error('Cannot check rows: the description gives them no x-row-schema');
  const validate = validatorOf(contract, membersOf(schema));
  return (row) => {
    const error = validate(row);
    return error === undefined ? undefined : `breaks "${error.keyword}" at /${error.path.join('/')}`;
  };
}

/** A validated Error. */
interface ParsedError {
  readonly error: bigint;
  readonly message: string;
}

/** What an error is for a browser, as the description says in words. */
function readErrorPage(page: string): ParsedError {
  const read = (pattern: RegExp): string => pattern.exec(page)?.[1] ?? '';
  const message = read(/<p class="error">(.*?)$/m)
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
  return { error: BigInt(read(/>Error (\d+)</)), message };
}

/** Checks what the description cannot express: message, status and header fields of each number. */
function checkError(
  contract: Contract,
  { status, headers, path }: Seen,
  value: unknown,
  response: JsonObject,
): string[] {
  const { error, message } = value as ParsedError;
  const number = Number(error);
  const entry = Object.values(errors).find((each) => each.number === number);
  if (entry === undefined) return [`the error number ${number} is not in the registry`];
  const violations: string[] = [];
  if (Math.floor(number / 100) !== status) violations.push(`the error number ${number} belongs to another status`);
  if (message !== entry.message && !message.startsWith(`${entry.message}. `)) {
    violations.push(`the message of ${number} is not that of the registry: ${message}`);
  }
  if (!numbersOf(contract.document, response).includes(number)) {
    violations.push(`the error number ${number} is not among the examples of this answer`);
  }
  const documented = new Set(Object.keys(membersOf(response['headers'])).map((name) => name.toLowerCase()));
  for (const [name, owner] of headersOfErrors) {
    if (headers.has(name) !== (number === owner && documented.has(name)) && Math.floor(owner / 100) === status) {
      violations.push(
        `the header field ${name} belongs to the error number ${owner}, and to it alone; this is ${number}`,
      );
    }
  }
  if (number === errors.method_not_allowed.number) {
    const allowed = (headers.get('allow') ?? '').split(', ').filter((method) => method !== 'OPTIONS');
    const wanted = pages.has(path) ? ['GET', 'HEAD'] : (contract.paths.find(path)?.methods ?? []);
    if (allowed.sort().join() !== wanted.join()) violations.push(`Allow must list ${wanted.join(', ')}`);
  }
  return violations;
}

/** Pages for browsers, which the description omits. */
const pages = new Set(['/docs', '/console']);

const headersOfErrors: readonly (readonly [string, number])[] = [
  ['www-authenticate', errors.credentials_misplaced.number],
  ['accept', errors.media_type_unsupported.number],
  ['accept-patch', errors.media_type_unsupported.number],
  ['accept-encoding', errors.content_encoding_unsupported.number],
];

/** Checks the response to a CORS preflight, which belongs to no operation. */
function checkPreflight({ headers, body }: Seen): string[] {
  const violations = body === '' ? [] : ['it has a body, and must not have one'];
  return headers.has('access-control-allow-methods')
    ? violations
    : [...violations, 'the header field Access-Control-Allow-Methods is missing'];
}

const compilers = new WeakMap<Contract, SchemaCompiler>();
const validators = new WeakMap<JsonObject, Validate>();

function validatorOf(contract: Contract, schema: JsonObject): Validate {
  let validate = validators.get(schema);
  if (validate === undefined) {
    const compiler = compilers.get(contract) ?? new SchemaCompiler(contract.document);
    compilers.set(contract, compiler);
    validate = compiler.compile(schema);
    validators.set(schema, validate);
  }
  return validate;
}
