/** Renders openapi.json from openapi.yaml for the service: JSON parses in a tenth of the time. Does not interpret it. */
import { parse } from 'yaml';
import { escapeUnsafe } from '../src/json/to-json.ts';

/** @param openapiYaml the text of the description. @throws Error if it is not YAML. */
export function renderDescription(openapiYaml: string): string {
  // Integers are bigints, or the bounds of int64 would be rounded.
  return escapeUnsafe(`${toJson(parse(openapiYaml, { intAsBigInt: true }), '')}\n`);
}

/** Like JSON.stringify with an indent of two, which does not support bigint. */
function toJson(value: unknown, indent: string): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const items = isList
    ? value.map((item: unknown) => toJson(item, inner))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${toJson(item, inner)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  return items.length === 0 ? open + close : `${open}\n${inner}${items.join(`,\n${inner}`)}\n${indent}${close}`;
}
