/**
 * The requests of the collection for API clients, in order, and what each must be answered. The checks are such as
 * hold in clients that round ids, encode a query twice, or give an empty body as `""`.
 */
import { errors } from '../src/domain/error-registry.ts';

/** One request, and what its answer must be. */
export interface CollectionStep {
  readonly name: string;
  readonly operation: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Its media type, and the text. */
  readonly body?: readonly [mediaType: string, text: string];
  readonly status: number;
  /** Name of a check, and its lines. */
  readonly check: readonly [name: string, ...lines: string[]];
  /** Lines after it. */
  readonly after?: readonly string[];
}

const json = 'application/json';
const text = 'pm.response.text()';
const fern = '{"id": {{plantId}}, "name": "Collection fern", "tag": "collection-shade"}';
const rows = ['{"id": 1001, "name": "Imported aloe", "tag": "imported"}', '{"id": 1002, "name": "Imported ivy"}'];
const etag = "pm.collectionVariables.get('etag')";
const keepEtag = ["pm.collectionVariables.set('etag', pm.response.headers.get('ETag'));"];
const hasField = (name: string, pattern: RegExp): string =>
  `pm.expect(pm.response.headers.get('${name}')).to.match(${String(pattern)});`;
const hasError = (code: keyof typeof errors): CollectionStep['check'] => [
  `error ${errors[code].number}`,
  `pm.expect(pm.response.json().error).to.eql(${errors[code].number});`,
];

export const collectionSteps: readonly CollectionStep[] = [
  {
    name: 'Service info',
    operation: 'getRoot',
    status: 200,
    check: ['links to the description', `pm.expect(${text}).to.include('openapi.json');`],
  },
  {
    name: 'Create a plant',
    operation: 'createPlant',
    body: [json, fern],
    status: 200,
    check: [
      'returns name and tag',
      `pm.expect(pm.response.json()).to.eql({ name: 'Collection fern', tag: 'collection-shade' });`,
    ],
  },
  {
    name: 'Create it again: nothing changes',
    operation: 'createPlant',
    body: [json, fern],
    status: 200,
    check: ['says so', hasField('Idempotent-Replayed', /^true$/)],
  },
  {
    name: 'Create another plant with this id',
    operation: 'createPlant',
    body: [json, '{"id": {{plantId}}, "name": "Another"}'],
    status: 409,
    check: hasError('plant_id_taken'),
  },
  {
    name: 'Create a plant with an id in quotes',
    operation: 'createPlant',
    body: [json, '{"id": "{{plantId}}", "name": "Another"}'],
    status: 400,
    check: hasError('plant_id_invalid'),
  },
  {
    name: 'Get the plant',
    operation: 'getPlant',
    status: 200,
    check: ['this id is that of the plant', `pm.expect(pm.response.json().name).to.eql('Collection fern');`],
    after: keepEtag,
  },
  {
    name: 'Get it only if it has changed',
    operation: 'getPlant',
    headers: { 'If-None-Match': '{{etag}}' },
    status: 304,
    check: ['names the same version', `pm.expect(pm.response.headers.get('ETag')).to.eql(${etag});`],
  },
  {
    name: 'Replace this version',
    operation: 'putPlant',
    headers: { 'If-Match': '{{etag}}' },
    body: [json, '{"name": "Collection fern, tall", "tag": "collection-shade"}'],
    status: 200,
    check: ['has a new version', `pm.expect(pm.response.headers.get('ETag')).to.not.eql(${etag});`],
  },
  {
    name: 'Replace the version before',
    operation: 'putPlant',
    headers: { 'If-Match': '{{etag}}' },
    body: [json, '{"name": "Collection fern, small"}'],
    status: 412,
    check: hasError('precondition_failed'),
  },
  {
    name: 'Remove the tag',
    operation: 'patchPlant',
    body: ['application/merge-patch+json', '{"tag": null}'],
    status: 200,
    check: ['it is gone', `pm.expect(pm.response.json().tag).to.eql(undefined);`],
  },
  {
    name: 'Search by the beginnings of words',
    operation: 'listPlants',
    query: { name: 'collect' },
    status: 200,
    check: [
      'finds the plant',
      `pm.expect(pm.response.json().map(({ name }) => name)).to.include('Collection fern, tall');`,
    ],
  },
  {
    name: 'Check an import, store nothing',
    operation: 'importPlants',
    query: { dryRun: 'true' },
    body: ['application/x-ndjson', `${rows.join('\n')}\n`],
    status: 200,
    check: ['all rows can be stored', `pm.expect(pm.response.json().refused).to.eql(0);`],
  },
  {
    name: 'Import plants',
    operation: 'importPlants',
    body: ['application/x-ndjson', `${rows.join('\n')}\n`],
    status: 200,
    check: ['all rows are read', `pm.expect(pm.response.json().read).to.eql(${rows.length});`],
  },
  {
    name: 'List the tags',
    operation: 'listTags',
    query: { prefix: 'imp' },
    status: 200,
    check: ['counts the imported plant', `pm.expect(${text}).to.include('{"tag":"imported","plants":1}');`],
  },
  {
    name: 'Export as CSV',
    operation: 'exportPlants',
    query: { tag: 'imported' },
    headers: { Accept: 'text/csv' },
    status: 200,
    check: ['has the imported plant', `pm.expect(${text}).to.include('1001,Imported aloe,imported');`],
  },
  {
    name: 'List the newest changes',
    operation: 'listChanges',
    query: { order: 'desc', limit: '10' },
    status: 200,
    check: [
      'has the change of the plant',
      `pm.expect(pm.response.json().map(({ plant }) => plant && plant.name)).to.include('Collection fern, tall');`,
    ],
  },
  {
    name: 'Get the history of the plant',
    operation: 'getHistory',
    status: 200,
    check: ['begins with the newest change', `pm.expect(pm.response.json()[0].kind).to.eql('replaced');`],
  },
  {
    name: 'Force an error (sandbox only)',
    operation: 'getPlant',
    headers: { Prefer: 'code=503' },
    status: 503,
    check: ['says when to try again', hasField('Retry-After', /^\d+$/)],
  },
  {
    name: 'Delete the plant',
    operation: 'deletePlant',
    status: 204,
    check: ['has no content', `pm.expect(pm.response.headers.get('Content-Type')).to.eql(undefined);`],
  },
  {
    name: 'Get a plant that does not exist',
    operation: 'getPlant',
    status: 404,
    check: hasError('plant_unknown'),
  },
];
