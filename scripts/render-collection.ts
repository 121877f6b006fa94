/**
 * Renders a collection of requests for API clients (Postman Collection Format 2.1) that create,
 * change and delete plants of a sandbox in order. Methods, paths and texts come from the
 * description; what is sent and expected is in collection-steps.ts.
 */
import { parseDescription } from '../src/contract/description.ts';
import { type Operation, readOperations } from '../src/contract/operations.ts';
import { type Check, type CollectionStep, collectionSteps } from './collection-steps.ts';
import { renderDescription } from './render-description.ts';

const about = `Send the requests in order, to a service that was started with "plant-store serve --sandbox" at {{baseUrl}}.

The first request makes a token, which is a place for your plants. To begin anew, empty the variable "token". With a token of an ordinary service in it, all but "Force an error" work there, too.

The id of the plant is larger than JavaScript numbers, and exact in each address and body that is sent; clients may show it rounded in answers.`;

const prepare = [
  "const baseUrl = pm.variables.get('baseUrl');",
  "if (baseUrl) pm.variables.set('baseUrl', baseUrl.replace(/\\/+$/, ''));",
  "if (!pm.collectionVariables.get('token')) {",
  "  pm.collectionVariables.set('token', pm.variables.replaceIn('sandbox-{{$guid}}'));",
  '}',
];

/** @throws Error for a step that the description does not have. */
export function renderCollection(openapiYaml: string): string {
  const operations = readOperations(parseDescription(renderDescription(openapiYaml)));
  const collection = {
    info: {
      name: 'Plant Store',
      description: about,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    event: [toEvent('prerequest', prepare)],
    variable: [
      { key: 'baseUrl', value: 'http://127.0.0.1:3000' },
      { key: 'token', value: '' },
      { key: 'plantId', value: '9007199254740995' },
      { key: 'etag', value: '' },
    ],
    item: collectionSteps.map((step) => toItem(step, operations.get(step.operation))),
  };
  return `${JSON.stringify(collection, null, 2)}\n`;
}

function toItem(
  { name, query = {}, headers, body, status, check, keepsEtag, ...step }: CollectionStep,
  operation?: Operation,
): object {
  if (operation?.statuses.includes(status) !== true)
    throw new Error(`Cannot render "${name}": the description has no ${status} of ${step.operation}`);
  const { method, path, isPublic, definition } = operation;
  const fields = { ...(body === undefined ? {} : { 'Content-Type': body[0] }), ...headers };
  return {
    name,
    event: [
      toEvent('test', [
        `pm.test('status ${status}', () => pm.response.to.have.status(${status}));`,
        ...(check === undefined ? [] : [toTest(check)]),
        ...(keepsEtag ? ["pm.collectionVariables.set('etag', pm.response.headers.get('ETag'));"] : []),
      ]),
    ],
    request: {
      ...(isPublic ? { auth: { type: 'noauth' } } : {}),
      method,
      description: definition['summary'],
      header: Object.entries(fields).map(([key, value]) => ({ key, value })),
      url: toUrl(path.replace('{id}', '{{plantId}}'), Object.entries(query)),
      ...(body === undefined ? {} : { body: { mode: 'raw', raw: body[1] } }),
    },
    response: [],
  };
}

/** The texts of checks have no quotes. */
function toTest(check: Check): string {
  if ('text' in check)
    return `pm.test('has ${check.text}', () => pm.expect(pm.response.text()).to.include('${check.text}'));`;
  const [what, found] =
    'at' in check
      ? [check.at, `pm.response.json()${check.at.replaceAll(/\/(\w+)/g, "['$1']")}`]
      : [check.header, `pm.response.headers.get('${check.header}')`];
  const [verb, method, value] = 'isNot' in check ? ['is not', 'not.eql', check.isNot] : ['is', 'eql', check.is];
  const wanted =
    value === '{{etag}}' ? "pm.collectionVariables.get('etag')" : JSON.stringify(value).replaceAll('"', "'");
  return `pm.test('${what} ${verb} ${value}', () => pm.expect(${found}).to.${method}(${wanted}));`;
}

function toUrl(path: string, query: readonly (readonly [string, string])[]): object {
  const search = query.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&');
  return {
    raw: `{{baseUrl}}${path}${search === '' ? '' : `?${search}`}`,
    host: ['{{baseUrl}}'],
    path: path.slice(1).split('/'),
    ...(search === '' ? {} : { query: query.map(([key, value]) => ({ key, value: encodeURIComponent(value) })) }),
  };
}

function toEvent(listen: string, exec: readonly string[]): object {
  return { listen, script: { type: 'text/javascript', exec } };
}
