/**
 * Renders the requests of collection-steps.ts as a workflow (Arazzo 1.0.1) of the description,
 * which tools such as `redocly respect` run.
 */
import { stringify } from 'yaml';
import { parseDescription } from '../src/contract/description.ts';
import { readOperations } from '../src/contract/operations.ts';
import { type Check, type CollectionStep, collectionSteps } from './collection-steps.ts';
import { renderDescription } from './render-description.ts';

/** Larger than a JavaScript number can be in steps of 1, but even: runners that round send it as it is. */
const plantId = '9007199254740996';

const about = `Creates, reads, changes, imports and deletes plants, and provokes the common errors, in a space of a sandbox that is new: give a token of your own. At the end of a run the plant is deleted again.

The id of the plant is beyond 2^53, but one that a double represents: 9007199254740993 would be sent as 9007199254740992.`;

export function renderArazzo(openapiYaml: string): string {
  const operations = readOperations(parseDescription(renderDescription(openapiYaml)));
  const etagOf = collectionSteps.find(({ keepsEtag }) => keepsEtag)?.name ?? '';
  const fill = (text: string): string =>
    text.replaceAll('{{plantId}}', plantId).replaceAll('{{etag}}', `$steps.${toId(etagOf)}.outputs.etag`);
  const workflow = {
    workflowId: 'tour',
    inputs: { type: 'object', properties: { token: { type: 'string', default: 'sandbox-my-first-space' } } },
    parameters: [{ name: 'Authorization', in: 'header', value: 'Bearer {$inputs.token}' }],
    steps: collectionSteps.map((step) => toStep(step, operations.get(step.operation)?.path ?? '', fill)),
  };
  return stringify(
    {
      arazzo: '1.0.1',
      info: { title: 'Plant Store', version: '1.0.0', description: about },
      sourceDescriptions: [{ name: 'plants', type: 'openapi', url: '../../openapi.yaml' }],
      workflows: [workflow],
    },
    { lineWidth: 0, aliasDuplicateObjects: false },
  );
}

type Fill = (text: string) => string;

function toStep(step: CollectionStep, path: string, fill: Fill): object {
  const { name, operation, query = {}, headers = {}, body, status, check, keepsEtag } = step;
  const toParameters = (place: string, values: object): object[] =>
    Object.entries(values).map(([key, value]) => ({ name: key, in: place, value: fill(String(value)) }));
  const parameters = [
    ...toParameters('path', path.includes('{id}') ? { id: plantId } : {}),
    ...toParameters('query', query),
    ...toParameters('header', headers),
  ];
  return {
    stepId: toId(name),
    description: name,
    operationId: operation,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: toBody(body[0], fill(body[1])) }),
    successCriteria: [
      { condition: `$statusCode == ${status}` },
      ...(check === undefined ? [] : [toCriterion(check, fill)]),
    ],
    ...(keepsEtag ? { outputs: { etag: '$response.header.ETag' } } : {}),
  };
}

/** JSON is sent as an object: a text would become a string of JSON. */
function toBody(contentType: string, text: string): object {
  return { contentType, payload: contentType.includes('ndjson') ? text : (JSON.parse(text) as object) };
}

function toCriterion(check: Check, fill: Fill): object {
  if ('text' in check) return { context: '$response.body', condition: check.text, type: 'regex' };
  const found = 'at' in check ? `$response.body#${check.at}` : `$response.header.${check.header}`;
  const [verb, value] = 'isNot' in check ? ['!=', check.isNot] : ['==', check.is];
  const wanted = value === '{{etag}}' ? fill(value) : typeof value === 'number' ? value : `'${value}'`;
  return { condition: `${found} ${verb} ${wanted}` };
}

function toId(name: string): string {
  return name.toLowerCase().replaceAll(/\W+/g, '-').replace(/-$/, '');
}
