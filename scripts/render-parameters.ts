/** Renders the last part of src/domain/schemas.ts: a type for the parameters of each operation, and a table of their inputs. */
import { parse } from 'yaml';
import { renderComment, renderType } from './render-schemas.ts';
import type { Schema } from './render-schemas.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: Schema & { readonly default?: unknown };
}

interface Operation {
  readonly operationId?: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  /** Empty if the operation is public. */
  readonly security?: readonly object[];
}

interface Media {
  readonly schema?: Schema;
  readonly 'x-row-schema'?: Schema;
}

interface Description {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly parameters?: Readonly<Record<string, Parameter>> };
}

/**
 * @param openapiYaml the text of the description.
 * @throws Error naming a parameter that cannot be rendered.
 */
export function renderParameters(openapiYaml: string): string {
  const { paths = {}, components } = parse(openapiYaml) as Description;
  const shared = components?.parameters ?? {};
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const first = new Map<string, string>();
  return [
    ...operations
      .filter(({ parameters }) => parameters !== undefined)
      .map((operation) => renderOperation(operation, shared, first)),
    `/** What each operation takes: its parameters, its body or the rows of its body, and whether it needs no token. */\nexport interface Operations {\n${operations.map(renderRow).join('')}}\n`,
  ].join('\n');
}

function renderRow({ operationId = '', parameters, requestBody, security }: Operation): string {
  const [media] = Object.values(requestBody?.content ?? {});
  const { schema, 'x-row-schema': row } = media ?? {};
  const members = [
    ...(parameters === undefined ? [] : [`readonly parameters: ${toTypeName(operationId)}`]),
    ...(row !== undefined
      ? [`readonly row: ${renderType(row, operationId)}`]
      : schema !== undefined
        ? [`readonly body: ${renderType(schema, operationId)}`]
        : []),
    ...(security?.length === 0 ? ['readonly isPublic: true'] : []),
  ];
  const type = members.length === 0 ? 'object' : `{ ${members.join('; ')} }`;
  return `  readonly ${operationId}: ${type};\n`;
}

/**
 * @param first the type of each list of members; an equal list gets another name of the same type.
 */
function renderOperation(
  { operationId = '', parameters = [] }: Operation,
  shared: Record<string, Parameter>,
  first: Map<string, string>,
): string {
  const name = toTypeName(operationId);
  const members = parameters
    .map((each) => renderMember('$ref' in each ? follow(each.$ref, shared) : each, operationId))
    .join('');
  const same = first.get(members);
  if (same !== undefined) return `export type ${name} = ${same};\n`;
  first.set(members, name);
  return `/** Parameters of ${operationId}. */\nexport interface ${name} {\n${members}}\n`;
}

function renderMember({ name, in: place, description, required, schema }: Parameter, operationId: string): string {
  const isPresent = required === true || schema.default !== undefined;
  const type =
    place === 'header' && schema.$ref !== undefined
      ? "'*' | readonly string[]"
      : renderType(schema, `${operationId}.${name}`);
  const member = name.includes('-') ? toMemberName(name) : name;
  return renderComment(description, '  ') + `  readonly ${member}${isPresent ? '' : '?'}: ${type};\n`;
}

function follow(reference: string, shared: Readonly<Record<string, Parameter>>): Parameter {
  const parameter = shared[reference.replace('#/components/parameters/', '')];
  if (parameter === undefined) throw new Error(`Cannot render parameters: ${reference} does not exist`);
  return parameter;
}

function toTypeName(operationId: string): string {
  return `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Parameters`;
}

/** If-None-Match becomes ifNoneMatch. */
function toMemberName(field: string): string {
  const [first = '', ...others] = field.split('-');
  return first.toLowerCase() + others.join('');
}
