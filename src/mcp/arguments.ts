/**
 * The arguments of tools: what `tools/list` says of each, and how its value is read. Ids are
 * strings of digits: clients read JSON numbers as doubles, which would round them.
 */
import { describeInvalidInt64, parseInt64 } from '../json/int64.ts';

/** A call that cannot be made, or found no plant. The model reads the message. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  /** The number of the service's error; undefined for an argument that was never sent. */
  readonly number: number | undefined;

  constructor(message: string, number?: number) {
    super(message);
    this.number = number;
  }
}

export interface Argument<Value> {
  /**
   * JSON Schema, of which applications hand on different parts to their models: one type, a description, values of a
   * string, items of a list. Google refuses all tools for a list of types, Anthropic's strict mode for limits.
   */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly isOptional: boolean;
  /** @throws a sentence's end, "must …", for a value that cannot be used. */
  readonly read: (value: unknown) => Value;
}

/** JSON Schema of the arguments of a tool. */
export interface InputSchema {
  readonly type: 'object';
  readonly [member: string]: unknown;
}

export type Arguments = Readonly<Record<string, Argument<unknown>>>;

export type ValuesOf<Wanted extends Arguments> = {
  readonly [Name in keyof Wanted]: Wanted[Name] extends Argument<infer Value> ? Value : never;
};

/** Why a value cannot be used; completes the sentence `Cannot use "name": it …`. */
class InvalidValue extends Error {}

function refuse(problem: string): never {
  throw new InvalidValue(problem);
}

export const idArgument: Argument<bigint> = {
  schema: { type: 'string', description: 'The id, as a string of digits' },
  isOptional: false,
  read: (value) => {
    if (typeof value !== 'string')
      refuse('must be a string of digits, such as "9007199254740993": a JSON number can lose digits');
    return parseInt64(value) ?? refuse(describeInvalidInt64(value));
  },
};

export const idsArgument: Argument<readonly bigint[]> = {
  schema: { type: 'array', items: { type: 'string' }, minItems: 1, description: 'Ids, as strings of digits' },
  isOptional: false,
  read: (value) => (Array.isArray(value) ? value.map(idArgument.read) : refuse('must be an array of ids')),
};

export function textArgument(description: string): Argument<string> {
  return {
    schema: { type: 'string', description },
    isOptional: false,
    read: (value) => (typeof value === 'string' ? value : refuse('must be a string')),
  };
}

export function flagArgument(description: string): Argument<boolean> {
  return {
    schema: { type: 'boolean', description },
    isOptional: false,
    read: (value) => (typeof value === 'boolean' ? value : refuse('must be true or false')),
  };
}

export function choiceArgument<const Value extends string>(
  description: string,
  values: readonly Value[],
): Argument<Value> {
  return {
    schema: { type: 'string', enum: values, description },
    isOptional: false,
    read: (value) => values.find((each) => each === value) ?? refuse(`must be one of ${values.join(', ')}`),
  };
}

/** Maximum number of results of a call; one call should not fill the model's context. */
const limitMax = 100;
export const limitDefault = 20;

export const limitArgument: Argument<number | undefined> = {
  schema: { type: 'integer', description: `How many at most: 1 to ${limitMax}, by default ${limitDefault}` },
  isOptional: true,
  read: (value) =>
    Number.isInteger(value) && Number(value) >= 1 && Number(value) <= limitMax
      ? Number(value)
      : refuse(`must be an integer from 1 to ${limitMax}`),
};

/** The version that a write is for. */
export const versionArgument: Argument<string | undefined> = {
  schema: { type: 'string', description: 'Only if the plant still has this etag, as get_plant returned it' },
  isOptional: true,
  read: (value) =>
    typeof value === 'string' && /^"[!#-~]*"$/.test(value)
      ? value
      : refuse('must be an etag with its double quotes, as get_plant returned it'),
};

export function optional<Value>(argument: Argument<Value>): Argument<Value | undefined> {
  return { ...argument, isOptional: true };
}

export function toInputSchema(wanted: Arguments): InputSchema {
  const all = Object.entries(wanted);
  return {
    type: 'object',
    properties: Object.fromEntries(all.map(([name, { schema }]) => [name, schema])),
    required: all.filter(([, { isOptional }]) => !isOptional).map(([name]) => name),
    additionalProperties: false,
  };
}

/** @throws ToolError for an argument that is missing, unknown or of another form. */
export function readArguments<Wanted extends Arguments>(
  wanted: Wanted,
  given: Readonly<Record<string, unknown>>,
): ValuesOf<Wanted> {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(wanted, name));
  if (unknown !== undefined)
    throw new ToolError(
      `Cannot use "${unknown.slice(0, 80)}": there is no such argument; this tool takes ${Object.keys(wanted).join(', ')}`,
    );
  const read = Object.entries(wanted).map(([name, { isOptional, read }]) => {
    const value = given[name];
    if (value === undefined && !isOptional) throw new ToolError(`Argument "${name}" is missing`);
    try {
      return [name, value === undefined ? undefined : read(value)];
    } catch (error) {
      throw error instanceof InvalidValue ? new ToolError(`Cannot use "${name}": it ${error.message}`) : error;
    }
  });
  return Object.fromEntries(read) as ValuesOf<Wanted>;
}
