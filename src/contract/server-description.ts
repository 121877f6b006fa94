/**
 * The description as it is served: as it was written, but with the address at which the client reached the service.
 * Which address that is, is not decided here.
 */

/** The description in both of its forms. */
export interface DescriptionTexts {
  /** As `npm run generate` renders it: two spaces of indent, integers digit for digit. */
  readonly json: string;
  /** As it was written, comments included. */
  readonly yaml: string;
}

/** What stands before and behind the servers, in both forms: all that is the same for each client. */
export interface ServedPieces {
  readonly json: readonly [string, string];
  readonly yaml: readonly [string, string];
}

/** @param serverUrl an absolute URL, or the base path such as `/api/v1`; `/` when there is none. */
export function serverDescription(contract: { servedPieces(): ServedPieces }, serverUrl: string): DescriptionTexts {
  const { json, yaml } = contract.servedPieces();
  const url = JSON.stringify(serverUrl);
  return {
    json: `${json[0]}[{ "url": ${url}, "description": "${serverSummary}" }]${json[1]}`,
    // A JSON string is a YAML string too.
    yaml: `${yaml[0]}servers:\n  - url: ${url}\n    description: ${serverSummary}\n${yaml[1]}`,
  };
}

/** @throws Error when the description has no servers to replace. */
export function toServedPieces({ json, yaml }: DescriptionTexts): ServedPieces {
  return { json: cutOut(serversInJson, json), yaml: cutOut(serversInYaml, yaml) };
}

const serverSummary = 'The service that serves this description.';

/** The value of the top-level member, up to the bracket below its name: no text of JSON holds a line break. */
const serversInJson = /(?<=^ {2}"servers": )\[\n[^]*?^ {2}\]/m;
/** The top-level block and all that is indented below it. */
const serversInYaml = /^servers:\n(?:[ -].*\n)+/m;

/** What stands before and behind. */
function cutOut(servers: RegExp, text: string): [string, string] {
  const found = servers.exec(text);
  if (found === null) throw new Error('Cannot serve description: it has no block "servers"');
  return [text.slice(0, found.index), text.slice(found.index + found[0].length)];
}
