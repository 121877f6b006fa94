/**
 * The description as plain data: out of YAML without rounding an integer, and safe to walk.
 * What its parts mean is not known here.
 */
import { parse } from 'yaml';

/** A value of the description. Integers that a double cannot hold are `bigint`, all others `number`. */
export type Value = null | boolean | number | bigint | string | readonly Value[] | Members;

export interface Members {
  readonly [name: string]: Value | undefined;
}

/** @throws Error when the text is not YAML, or not one mapping. */
export function parseDescription(yamlText: string): Members {
  // Read all integers as bigint first: the bounds of int64 would be rounded otherwise.
  const document = toValue(parse(yamlText, { intAsBigInt: true }));
  if (!isMembers(document)) throw new Error('Cannot read description: it must be a YAML mapping');
  return document;
}

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of a value, none when it has none. */
export function membersOf(value: Value | undefined): Members {
  return isMembers(value) ? value : {};
}

/**
 * The members that a value or its `$ref` means.
 *
 * @throws Error when the reference leads nowhere, or out of the document.
 */
export function resolve(document: Members, value: Value | undefined): Members {
  const members = membersOf(value);
  const reference = members['$ref'];
  if (typeof reference !== 'string') return members;
  if (!reference.startsWith('#/')) throw new Error(`Cannot follow ${reference}: it must begin with "#/"`);
  let target: Value | undefined = document;
  for (const segment of reference.slice(2).split('/')) {
    target = membersOf(target)[segment.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  if (target === undefined) throw new Error(`Cannot follow ${reference}: nothing is there`);
  return resolve(document, target);
}

function toValue(parsed: unknown): Value {
  if (typeof parsed === 'bigint') {
    return parsed >= Number.MIN_SAFE_INTEGER && parsed <= Number.MAX_SAFE_INTEGER ? Number(parsed) : parsed;
  }
  if (Array.isArray(parsed)) return parsed.map(toValue);
  if (isMembers(parsed))
    return Object.fromEntries(Object.entries(parsed).map(([name, value]) => [name, toValue(value)]));
  if (parsed === null || typeof parsed === 'string' || typeof parsed === 'number' || typeof parsed === 'boolean') {
    return parsed;
  }
  throw new Error(`Cannot read description: it holds a ${typeof parsed}`);
}
