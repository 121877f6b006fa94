/** Checks bodies against their schema; an error names the member to fix. Knows no bytes. */
import { ServiceError } from '../domain/errors.ts';
import type { ErrorCode } from '../domain/errors.ts';
import { int64Range } from '../json/int64.ts';
import type { ValidationError, Validate } from './schema-compiler.ts';

/**
 * @param invalid the error of a body that is not of the schema.
 * @throws ServiceError `text_nul`, `plant_id_invalid` or `invalid`. The message names only members
 * of the schema and never repeats input.
 */
export function checkBody(validate: Validate, value: unknown, invalid: ErrorCode): void {
  const error = validate(value);
  if (error !== undefined) throw toServiceError(error, value, invalid);
}

function toServiceError(error: ValidationError, body: unknown, invalid: ErrorCode): ServiceError {
  const code = toErrorCode(error) ?? invalid;
  return new ServiceError(code, {
    detail: code === 'plant_id_invalid' ? `It must ${describeId((body as { id?: unknown }).id)}` : describeError(error),
  });
}

/** Completes the message for an id. An integer beyond int64 arrives as a number. */
function describeId(id: unknown): string {
  if (typeof id === 'number' || typeof id === 'bigint')
    return Number.isFinite(id) && !Number.isInteger(id) ? 'be an integer' : int64Range;
  const type = id === null ? 'null' : Array.isArray(id) ? 'array' : typeof id;
  return `be a JSON number, not ${withArticle(type)}`;
}

function toErrorCode({ keyword, path }: ValidationError): ErrorCode | undefined {
  if (keyword === 'nulFree') return 'text_nul';
  return keyword === 'numeric' && path.at(-1) === 'id' ? 'plant_id_invalid' : undefined;
}

function describeError({ keyword, path, params, message }: ValidationError): string {
  if (keyword === 'required') return `${nameOf([...path, String(params['missingProperty'])])} is missing`;
  const name = nameOf(path);
  switch (keyword) {
    case 'type':
      return `${name} must be ${toTypes(params['type'])}`;
    case 'numeric':
      return `${name} must be ${toRange(params)}`;
    case 'codePointsMax':
      return `${name} must have at most ${String(params['limit'])} characters (Unicode code points)`;
    case 'minLength':
      return `${name} is too short`;
    case 'uniqueItems':
      return `${name} must not have the same item twice`;
    case 'minItems':
      return `${name} must have at least one item`;
    case 'maxItems':
      return `${name} must have at most ${String(params['limit'])} items`;
    case 'minProperties':
      return `${name} must have at least one member`;
    case 'additionalProperties':
      return `${name} has a member that the description does not have`;
    case 'discriminator':
      return `"${String(params['tag'])}" is missing, or not one that the description has`;
    case 'enum':
      return `${name} must be one of ${(params['allowedValues'] as readonly string[]).join(', ')}`;
    case 'pattern':
      if (String(params['pattern']).startsWith('^[\\x09-'))
        return `${name} must have more than white space, and no U+0000`;
      // The pattern of a name lists invisible characters, which a message cannot show.
      if (!String(params['pattern']).startsWith('^[^')) return `${name} ${message}`;
      return `${name} is empty, or has a character that is invisible or controls the text`;
    case 'nulFree':
      return `Remove it from ${name}`;
    default:
      return `${name} ${message}`;
  }
}

/** The parameters of the keyword: the range that is wanted. */
function toRange({ becomes, isNullable, least, most }: Readonly<Record<string, unknown>>): string {
  const kind = becomes === 'number' ? 'a number' : 'an integer';
  return `${kind} from ${String(least)} to ${String(most)}${isNullable === true ? ', or null' : ''}`;
}

function nameOf(path: readonly string[]): string {
  return path.length === 0 ? 'The body' : `"${path.join('.')}"`;
}

/** The value of the keyword `type`: one or several. */
function toTypes(types: unknown): string {
  return (Array.isArray(types) ? types : [types]).map(String).map(withArticle).join(' or ');
}

function withArticle(type: string): string {
  if (type === 'null') return type;
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}
