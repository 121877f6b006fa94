/**
 * The requests of the collection for API clients, and of the Arazzo workflow, in order, and what each must be answered.
 * The checks are such as hold in clients that round ids, encode a query twice, or give an empty body as `""`.
 */
import { errors } from '../src/domain/error-registry.ts';

/**
 * A request, and what its answer must be. `{{plantId}}`, and `{{etag}}` once it is kept, stand for
 * values.
 */
export interface CollectionStep {
  readonly name: string;
  readonly operation: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The media type and the text of the body. */
  readonly body?: readonly [mediaType: string, text: string];
  readonly status: number;
  /** Absent: the status says it all. */
  readonly check?: Check;
  /** The ETag of the answer is for later requests. */
  readonly keepsEtag?: true;
}

/** A value at a JSON pointer, a header field, or a part of a text that is no JSON. */
export type Check =
  | { readonly at: string; readonly is: string | number }
  | { readonly header: string; readonly is: string }
  | { readonly header: string; readonly isNot: string }
  | { readonly text: string };

const json = 'application/json';
const fern = '{"id": {{plantId}}, "name": "Collection fern", "tag": "collection-shade"}';
const rows = ['{"id": 1001, "name": "Imported aloe", "tag": "imported"}', '{"id": 1002, "name": "Imported ivy"}'];
const hasError = (code: keyof typeof errors): Check => ({ at: '/error', is: errors[code].number });

export const collectionSteps: readonly CollectionStep[] = [
  {
    name: 'Service info',
    operation: 'getRoot',
    status: 200,
    check: { at: '/openapi', is: 'openapi.json' },
  },
  {
    name: 'Create a plant',
    operation: 'createPlant',
    body: [json, fern],
    status: 200,
    check: { at: '/tag', is: 'collection-shade' },
  },
  {
    name: 'Create it again: nothing changes',
    operation: 'createPlant',
    body: [json, fern],
    status: 200,
    check: { header: 'Idempotent-Replayed', is: 'true' },
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
    check: { at: '/name', is: 'Collection fern' },
    keepsEtag: true,
  },
  {
    name: 'Get it only if it has changed',
    operation: 'getPlant',
    headers: { 'If-None-Match': '{{etag}}' },
    status: 304,
    check: { header: 'ETag', is: '{{etag}}' },
  },
  {
    name: 'Replace this version',
    operation: 'putPlant',
    headers: { 'If-Match': '{{etag}}' },
    body: [json, '{"name": "Collection fern, tall", "tag": "collection-shade"}'],
    status: 200,
    check: { header: 'ETag', isNot: '{{etag}}' },
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
    name: 'Remove the tag: the name stays',
    operation: 'patchPlant',
    body: ['application/merge-patch+json', '{"tag": null}'],
    status: 200,
    check: { at: '/name', is: 'Collection fern, tall' },
  },
  {
    name: 'Search by the beginnings of words',
    operation: 'listPlants',
    query: { name: 'collect', order: 'desc' },
    status: 200,
    check: { at: '/0/name', is: 'Collection fern, tall' },
  },
  {
    name: 'List the newest changes',
    operation: 'listChanges',
    query: { order: 'desc', limit: '10' },
    status: 200,
    check: { at: '/0/plant/name', is: 'Collection fern, tall' },
  },
  {
    name: 'Check an import, store nothing',
    operation: 'importPlants',
    query: { dryRun: 'true' },
    body: ['application/x-ndjson', `${rows.join('\n')}\n`],
    status: 200,
    check: { at: '/refused', is: 0 },
  },
  {
    name: 'Import plants',
    operation: 'importPlants',
    body: ['application/x-ndjson', `${rows.join('\n')}\n`],
    status: 200,
    check: { at: '/read', is: rows.length },
  },
  {
    name: 'List the tags',
    operation: 'listTags',
    query: { prefix: 'imp' },
    status: 200,
    check: { at: '/0/tag', is: 'imported' },
  },
  {
    name: 'Export as CSV',
    operation: 'exportPlants',
    query: { tag: 'imported' },
    headers: { Accept: 'text/csv' },
    status: 200,
    check: { text: '1001,Imported aloe,imported' },
  },
  {
    name: 'Get the history of the plant',
    operation: 'getHistory',
    status: 200,
    check: { at: '/0/kind', is: 'replaced' },
  },
  {
    name: 'Force an error (sandbox only)',
    operation: 'getPlant',
    headers: { Prefer: 'code=503' },
    status: 503,
    check: { header: 'Preference-Applied', is: 'code=503' },
  },
  {
    name: 'Delete the plant',
    operation: 'deletePlant',
    status: 204,
  },
  {
    name: 'Get a plant that does not exist',
    operation: 'getPlant',
    status: 404,
    check: hasError('plant_unknown'),
  },
];
