/** A served description: the original, with an address of this service as its server. */

/** The description in both formats. */
export interface DescriptionTexts {
  /** The JSON that `npm run generate` writes: indented by two spaces, with exact integers. */
  readonly json: string;
  /** The YAML as written, with its comments. */
  readonly yaml: string;
}

/** The text before and after the servers in both formats, equal for all clients. */
export interface ServedParts {
  /** What the server is. */
  readonly summary: string;
  readonly json: readonly [string, string];
  readonly yaml: readonly [string, string];
}

/** A description that is served at several addresses. */
export interface Servable {
  /** For `serverDescription`; computed at the first call. */
  servedParts(): ServedParts;
}

/** @param summary says what the server is, to who has the description alone: plain words, also in YAML. */
export function toServable(texts: DescriptionTexts, summary = 'This service'): Servable {
  let parts: ServedParts | undefined;
  return { servedParts: () => (parts ??= toServedParts(texts, summary)) };
}

/** @param serverUrl an absolute URL, or the base path such as `/api/v1`; `/` if there is none. */
export function serverDescription(description: Servable, serverUrl: string): DescriptionTexts {
  const { summary, json, yaml } = description.servedParts();
  const url = JSON.stringify(serverUrl);
  // A relative URL would be no address in a text.
  const shown = /^https?:/.test(serverUrl) ? url.slice(1, -1) : sampleUrl;
  const [json0, json1, yaml0, yaml1] = [...json, ...yaml].map((text) => text.replaceAll(sampleUrl, () => shown));
  return {
    json: `${json0}[{ "url": ${url}, "description": ${JSON.stringify(summary)} }]${json1}`,
    // A JSON string is a YAML string, too.
    yaml: `${yaml0}servers:\n  - url: ${url}\n    description: ${summary}\n${yaml1}`,
  };
}

/** @throws Error if the description has no servers to replace. */
function toServedParts({ json, yaml }: DescriptionTexts, summary: string): ServedParts {
  return { summary, json: splitAround(serversInJson, json), yaml: splitAround(serversInYaml, yaml) };
}

/** The address that texts of the description use. */
const sampleUrl = 'http://127.0.0.1:3000';

/** The value of the top-level member, up to its closing bracket: no string has a line break. */
const serversInJson = /(?<=^ {2}"servers": )\[\n[^]*?^ {2}\]/m;
/** The top-level block with all its indented lines. */
const serversInYaml = /^servers:\n(?:[ -].*\n)+/m;

/** Returns the text before and after the servers. */
function splitAround(servers: RegExp, text: string): [string, string] {
  const found = servers.exec(text);
  if (found === null) throw new Error('Cannot serve description: it has no block "servers"');
  return [text.slice(0, found.index), text.slice(found.index + found[0].length)];
}
