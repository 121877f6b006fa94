/** Judges a response by openapi.json and Ajv alone, without the service's own parser, validators and types. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Reply } from '../support/reply.ts';
import type { Json, Made, RequestMaker } from './make-requests.ts';

/** Returns one line per violation of the description. */
export type AnswerCheck = (asked: Pick<Made, 'operation' | 'method'>, reply: Reply) => string[];

export function toAnswerCheck(document: Json, maker: RequestMaker): AnswerCheck {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(document, 'description');
  const validate = (pointer: string[], value: unknown): string[] => {
    const path = pointer.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).map(encodeURIComponent);
    const run = ajv.getSchema(`description#/${path.join('/')}`);
    if (run === undefined) return [`there is no schema ${pointer.join(' ')}`];
    return run(value) === true ? [] : [ajv.errorsText(run.errors)];
  };
  return ({ operation, method }, { status, headers, text }) => {
    const own = (operation.definition['responses'] as Json)[String(status)];
    if (own === undefined) return ['the status is not documented'];
    const reference = (own as Json)['$ref'];
    const response = maker.resolve(own);
    const start =
      typeof reference === 'string'
        ? reference.slice(2).split('/')
        : ['paths', operation.path, operation.method.toLowerCase(), 'responses', String(status)];
    const described = Object.entries((response['headers'] ?? {}) as Json).map(
      ([name, value]) => [name, maker.resolve(value)] as const,
    );
    const ofFields = described.flatMap(([name, { required, schema }]) => {
      const value = headers[name.toLowerCase()];
      if (value === undefined) return required === true ? [`the header field ${name} is missing`] : [];
      const isInteger = maker.resolve(schema)['type'] === 'integer';
      return ajv.validate(maker.resolve(schema), isInteger ? Number(value) : value) ? [] : [`${name} is ${value}`];
    });
    if (ofFields.length > 0) return ofFields;
    const type = (headers['content-type'] ?? '').split(';')[0] ?? '';
    if (method === 'HEAD' || text === '') return [];
    const media = ((response['content'] ?? {}) as Json)[type] as Json | undefined;
    if (media === undefined) return [`the media type ${type} is not documented`];
    const at = [...start, 'content', type];
    const isRows = type === 'application/x-ndjson';
    if (!isRows && type !== 'application/json') return [];
    const problems: string[] = [];
    for (const line of isRows ? text.split('\n').slice(0, -1) : [text]) {
      const value = parse(line, problems);
      problems.push(...validate([...at, isRows ? 'x-row-schema' : 'schema'], value));
      if (status >= 400) problems.push(...findUnknown(value as Json, status, media, maker));
    }
    return problems;
  };
}

/** Numbers as their text: those with an int64 format are exact in the range, which doubles cannot show. */
function parse(text: string, problems: string[]): unknown {
  const revive = (key: string, value: unknown, context?: { readonly source?: string }): unknown => {
    const { source } = context ?? {};
    if (typeof value !== 'number' || source === undefined || !/^(?:id|plantId|plants|error|attempts)$/.test(key))
      return value;
    if (!/^(?:0|-?[1-9]\d*)$/.test(source) || BigInt.asIntN(64, BigInt(source)) !== BigInt(source))
      problems.push(`${key} is ${source}`);
    return value;
  };
  return JSON.parse(text, revive as Parameters<typeof JSON.parse>[1]);
}

function findUnknown({ error }: Json, status: number, media: Json, maker: RequestMaker): string[] {
  const examples = Object.values((media['examples'] ?? {}) as Json).map(
    (each) => (maker.resolve(each)['value'] as Json)['error'],
  );
  const isKnown = examples.includes(error) && Math.floor(Number(error) / 100) === status;
  return isKnown ? [] : [`the error number ${String(error)} is not among the examples`];
}
