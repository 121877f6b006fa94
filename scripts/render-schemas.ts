/**
 * Renders the first part of src/domain/schemas.ts: a TypeScript type per schema. Supports only the
 * JSON Schema keywords of the description. Validators check limits.
 */
import { parse } from 'yaml';

/** The keywords that define a type; `format` decides between number and bigint. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

type Schemas = Readonly<Record<string, Schema>>;

const head = '/** Generated from openapi.yaml by `npm run generate`. Do not edit. */\n';
const commentLengthMax = 100;

/** Names with another meaning in TypeScript. */
const renamed: Readonly<Record<string, string>> = { Error: 'ErrorBody' };

/**
 * @param openapiYaml the text of the description.
 * @throws Error naming a schema that cannot be rendered.
 */
export function renderSchemas(openapiYaml: string): string {
  const description = parse(openapiYaml) as { readonly components?: { readonly schemas?: Schemas } };
  const schemas = description.components?.schemas ?? {};
  return [head, ...Object.entries(schemas).map(([name, schema]) => renderDeclaration(name, schema, schemas))].join(
    '\n',
  );
}

function renderDeclaration(name: string, schema: Schema, schemas: Schemas): string {
  const comment = renderComment(schema.description, '');
  const parts = schema.allOf ?? [];
  const bases = parts.flatMap(({ $ref }) => ($ref === undefined ? [] : [$ref]));
  const own = [...parts.filter(({ $ref }) => $ref === undefined), schema];
  const isObject = own.some(({ properties }) => properties !== undefined) || bases.length > 0;
  if (!isObject) return `${comment}export type ${toTypeName(name)} = ${renderType(schema, name)};\n`;
  const clause = bases.length === 0 ? '' : ` extends ${bases.map(toReferredName).map(toTypeName).join(', ')}`;
  const members = renderMembers(own, bases, schemas, name);
  if (members === '') {
    const alias = bases.length === 0 ? 'Readonly<Record<string, unknown>>' : bases.map(toReferredType).join(' & ');
    return `${comment}export type ${toTypeName(name)} = ${alias};\n`;
  }
  return `${comment}export interface ${toTypeName(name)}${clause} {\n${members}}\n`;
}

function renderMembers(own: readonly Schema[], bases: readonly string[], schemas: Schemas, name: string): string {
  const required = new Set(own.flatMap((part) => part.required ?? []));
  const inherited = Object.assign({}, ...bases.map((base) => collectMembers(base, schemas))) as Record<
    string,
    Inherited
  >;
  const members = new Map(own.flatMap(({ properties }) => Object.entries(properties ?? {})));
  for (const member of required) {
    const base = inherited[member];
    // Repeat a member that is optional in the base and required here.
    if (base !== undefined && !base.required && !members.has(member)) members.set(member, base.schema);
    if (base === undefined && !members.has(member)) {
      throw new Error(`Cannot render schema ${name}: it requires "${member}", and no property has this name`);
    }
  }
  return [...members]
    .map(([member, schema]) => {
      const isRequired = required.has(member) || inherited[member]?.required === true;
      return renderComment(schema.description, '  ') + `  ${renderMember(member, schema, isRequired, name)};\n`;
    })
    .join('');
}

interface Inherited {
  readonly schema: Schema;
  readonly required: boolean;
}

/** Returns the members of a referenced schema and its bases. */
function collectMembers(reference: string, schemas: Schemas): Record<string, Inherited> {
  const name = toReferredName(reference);
  const schema = schemas[name];
  if (schema === undefined) throw new Error(`Cannot render schema: ${reference} does not exist`);
  const parts = [...(schema.allOf ?? []), schema];
  const members: Record<string, Inherited> = {};
  for (const part of parts) {
    if (part.$ref !== undefined) Object.assign(members, collectMembers(part.$ref, schemas));
    for (const [member, each] of Object.entries(part.properties ?? {}))
      members[member] = { schema: each, required: false };
  }
  for (const member of parts.flatMap((part) => part.required ?? [])) {
    const found = members[member];
    if (found !== undefined) members[member] = { ...found, required: true };
  }
  return members;
}

function renderMember(member: string, schema: Schema, isRequired: boolean, name: string): string {
  const key = /^[A-Za-z_$][\w$]*$/.test(member) ? member : `'${member}'`;
  return `readonly ${key}${isRequired ? '' : '?'}: ${renderType(schema, `${name}.${member}`)}`;
}

export function renderType(schema: Schema, where: string): string {
  if (schema.$ref !== undefined) return toReferredType(schema.$ref);
  if (schema.const !== undefined) return renderLiteral(schema.const, where);
  if (schema.enum !== undefined) return schema.enum.map((value) => renderLiteral(value, where)).join(' | ');
  const union = schema.oneOf ?? schema.anyOf;
  if (union !== undefined) return union.map((each) => renderType(each, where)).join(' | ');
  if (schema.allOf !== undefined) return schema.allOf.map((each) => renderType(each, where)).join(' & ');
  if (schema.type === undefined) return 'unknown';
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
  return types.map((type) => renderSimpleType(type, schema, where)).join(' | ');
}

function renderSimpleType(type: string, schema: Schema, where: string): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'number':
      return 'number';
    case 'integer':
      // As in src/contract/schema-compiler.ts, only an int32 is a number.
      return schema.format === 'int32' ? 'number' : 'bigint';
    case 'array':
      return `readonly ${toItem(schema.items === undefined ? 'unknown' : renderType(schema.items, where))}[]`;
    case 'object':
      return renderInlineObject(schema, where);
    default:
      throw new Error(`Cannot render schema ${where}: its type ${type} is unknown`);
  }
}

function renderInlineObject(schema: Schema, where: string): string {
  if (schema.properties === undefined) {
    const { additionalProperties } = schema;
    const value = typeof additionalProperties === 'object' ? renderType(additionalProperties, where) : 'unknown';
    return `Readonly<Record<string, ${value}>>`;
  }
  const required = new Set(schema.required);
  const members = Object.entries(schema.properties);
  return `{ ${members.map(([member, each]) => renderMember(member, each, required.has(member), where)).join('; ')} }`;
}

function renderLiteral(value: unknown, where: string): string {
  if (typeof value === 'string') return `'${value.replaceAll(/[\\']/g, '\\$&')}'`;
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  throw new Error(`Cannot render schema ${where}: one of its values is no simple one`);
}

function toItem(type: string): string {
  return /^readonly | [|&] /.test(type) ? `(${type})` : type;
}

function toReferredType(reference: string): string {
  return toTypeName(toReferredName(reference));
}

function toReferredName(reference: string): string {
  const name = /^#\/components\/schemas\/([A-Za-z]\w*)$/.exec(reference)?.[1];
  if (name === undefined) throw new Error(`Cannot render schema: the reference ${reference} leads to no schema here`);
  return name;
}

function toTypeName(name: string): string {
  return renamed[name] ?? name;
}

/** Returns one line if it fits, else a block. */
export function renderComment(description: string | undefined, indent: string): string {
  if (description === undefined) return '';
  const words = description.trim().replaceAll('*/', '*\\/').split(/\s+/);
  const line = `${indent}/** ${words.join(' ')} */`;
  if (line.length <= commentLengthMax) return `${line}\n`;
  const lines: string[] = [];
  let current = `${indent} *`;
  for (const word of words) {
    if (current.length + 1 + word.length > commentLengthMax) {
      lines.push(current);
      current = `${indent} *`;
    }
    current += ` ${word}`;
  }
  return `${[`${indent}/**`, ...lines, current, `${indent} */`].join('\n')}\n`;
}
