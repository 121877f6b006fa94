/** Bodies checked against their schema: an invalid one becomes the error that says which member to fix. */
import { ServiceError } from '../domain/errors.ts';
import type { ErrorCode } from '../domain/errors.ts';
import { int64Range } from '../json/int64.ts';
import type { Fault, Validate } from './schema-compiler.ts';

/**
 * @throws ServiceError `text_nul`, `plant_id_invalid` or `plant_invalid`. Its message names members of the schema only, so
 * that nothing of what was sent comes back.
 */
export function checkBody(validate: Validate, value: unknown): void {
  const fault = validate(value);
  if (fault !== undefined) throw toServiceError(fault, value);
}

function toServiceError(fault: Fault, body: unknown): ServiceError {
  const code = toErrorCode(fault);
  return new ServiceError(code, {
    detail: code === 'plant_id_invalid' ? `It must ${describeId((body as { id?: unknown }).id)}` : describeFault(fault),
  });
}

/** What an id must be instead. An integer beyond int64 arrives as a number. */
function describeId(id: unknown): string {
  if (typeof id === 'number' || typeof id === 'bigint')
    return Number.isFinite(id) && !Number.isInteger(id) ? 'be an integer' : int64Range;
  const type = id === null ? 'null' : Array.isArray(id) ? 'array' : typeof id;
  return `be a JSON number, not ${withArticle(type)}`;
}

function toErrorCode({ keyword, path }: Fault): ErrorCode {
  if (keyword === 'nulFree') return 'text_nul';
  return keyword === 'integerBounds' && path.at(-1) === 'id' ? 'plant_id_invalid' : 'plant_invalid';
}

function describeFault({ keyword, path, params, message }: Fault): string {
  if (keyword === 'required') return `${nameOf([...path, String(params['missingProperty'])])} is missing`;
  const name = nameOf(path);
  switch (keyword) {
    case 'type':
      return `${name} must be ${toTypes(params['type'])}`;
    case 'integerBounds':
      return `${name} must be an integer in its range`;
    case 'codePointsMax':
      return `${name} must have at most ${String(params['limit'])} characters (Unicode code points)`;
    case 'nulFree':
      return `Remove it from ${name}`;
    default:
      return `${name} ${message}`;
  }
}

function nameOf(path: readonly string[]): string {
  return path.length === 0 ? 'The body' : `"${path.join('.')}"`;
}

/** Of the keyword `type`: one or several. */
function toTypes(types: unknown): string {
  return (Array.isArray(types) ? types : [types]).map(String).map(withArticle).join(' or ');
}

function withArticle(type: string): string {
  if (type === 'null') return type;
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}
