/**
 * Bodies held against their schema: a fault becomes the error that says which member to mend.
 * Bytes and JSON are not its matter; nor is what a plant means.
 */
import { ServiceError } from '../domain/errors.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { Fault, Validate } from './schema-compiler.ts';

/**
 * @throws ServiceError `text_nul`, `plant_id_invalid` or `plant_invalid`. Its words name members of the schema alone, so
 * that nothing of what was sent comes back.
 */
export function checkBody(validate: Validate, value: unknown): void {
  const fault = validate(value);
  if (fault !== undefined) throw toServiceError(fault);
}

function toServiceError(fault: Fault): ServiceError {
  const code = toErrorCode(fault);
  // The message of the registry already says all about an id.
  return code === 'plant_id_invalid'
    ? new ServiceError(code)
    : new ServiceError(code, { detail: describeFault(fault) });
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
