/**
 * The description as it is served: as it was written, but with the address at which the client reached the service.
 * Which address that is, is not decided here.
 */
import type { Members, Value } from './description.ts';

export interface ServerDescription {
  /** Integers are printed digit for digit. */
  readonly json: string;
  /** Keeps the comments. */
  readonly yaml: string;
}

/** What stands before and behind the servers, in both forms: all that is the same for each client. */
export interface ServedPieces {
  readonly json: readonly [string, string];
  readonly yaml: readonly [string, string];
}

/** @param serverUrl an absolute URL, or the base path such as `/api/v1`; `/` when there is none. */
export function serverDescription(contract: { servedPieces(): ServedPieces }, serverUrl: string): ServerDescription {
  const { json, yaml } = contract.servedPieces();
  const url = JSON.stringify(serverUrl);
  return {
    json: `${json[0]}[{ "url": ${url}, "description": "${serverSummary}" }]${json[1]}`,
    // A JSON string is a YAML string too.
    yaml: `${yaml[0]}servers:\n  - url: ${url}\n    description: ${serverSummary}\n${yaml[1]}`,
  };
}

/** @throws Error when the description has no servers to replace. */
export function toServedPieces(document: Members, yamlText: string): ServedPieces {
  const block = serversBlock.exec(yamlText);
  const names = Object.keys(document);
  const place = names.indexOf('servers');
  if (block === null || place === -1) throw new Error('Cannot serve description: it has no block "servers"');
  const printed = names.map((name) => `  ${JSON.stringify(name)}: ${toJson(document[name] ?? null, '  ')}`);
  const before = printed.slice(0, place).map((member) => `${member},\n`);
  const behind = printed.slice(place + 1).map((member) => `,\n${member}`);
  return {
    json: [`{\n${before.join('')}  "servers": `, `${behind.join('')}\n}\n`],
    yaml: [yamlText.slice(0, block.index), yamlText.slice(block.index + block[0].length)],
  };
}

const serverSummary = 'The service that serves this description.';

/** A top-level block and all that is indented below it. */
const serversBlock = /^servers:\n(?:[ -].*\n)+/m;

/** Like JSON.stringify with an indent of two spaces, which refuses a bigint. */
function toJson(value: Value, indent: string): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const items = isList
    ? value.map((item: Value) => toJson(item, inner))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${toJson(item ?? null, inner)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  return items.length === 0 ? open + close : `${open}\n${inner}${items.join(`,\n${inner}`)}\n${indent}${close}`;
}
