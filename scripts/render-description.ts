/**
 * Renders openapi.json: the description in the form that the service reads at its start, for JSON is read in a tenth of the time of YAML.
 * What the description says is not looked at.
 */
import { parse } from 'yaml';

/** @param openapiYaml the text of the description. @throws Error when it is not YAML. */
export function renderDescription(openapiYaml: string): string {
  // Read as bigint, integers keep each digit: the bounds of int64 would be rounded otherwise.
  return `${toJson(parse(openapiYaml, { intAsBigInt: true }), '')}\n`;
}

/** Like JSON.stringify with an indent of two spaces, which refuses a bigint. */
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
