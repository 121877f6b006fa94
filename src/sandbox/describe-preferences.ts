/** The description that a sandbox serves: each path takes the header field Prefer. */
import type { DescriptionTexts } from '../contract/server-description.ts';

/** Without an example: tools fill it in, and would force an answer unasked. */
const parameter = JSON.stringify({
  name: 'Prefer',
  in: 'header',
  description:
    'Only in a sandbox (RFC 7240): what to do in place of the usual answer, separated by commas. `code=409`: the first example of this status. `example=KEY`: the example of this name. `delay=2000`: wait for so many milliseconds, at most 10000. `cut`: half of the answer, then a reset of the connection. `reset`: begin the plants of the token again.',
  schema: { type: 'string' },
});
const reference = '{ "$ref": "#/components/parameters/Prefer" }';

/** @throws Error if a text is not as `npm run generate` writes it. */
export function describePreferences({ json, yaml }: DescriptionTexts): DescriptionTexts {
  return {
    json: insert(
      json,
      /^ {2}"paths": \{\n[^]*?^ {2}\}/m,
      /^ {4}"\/.*": \{\n/gm,
      `      "parameters": [${reference}],\n`,
      {
        before: /^ {4}"parameters": \{\n/m,
        text: `      "Prefer": ${parameter},\n`,
      },
    ),
    yaml: insert(yaml, /^paths:\n(?:(?: .*)?\n)+/m, /^ {2}\/.*:\n/gm, `    parameters: [${reference}]\n`, {
      before: /^ {2}parameters:\n/m,
      text: `    Prefer: ${parameter}\n`,
    }),
  };
}

/** Adds a text to each path, and the definition to the components, whose parameters follow. */
function insert(
  text: string,
  paths: RegExp,
  path: RegExp,
  ofPath: string,
  definition: { readonly before: RegExp; readonly text: string },
): string {
  const found = paths.exec(text);
  if (found === null || !definition.before.test(text))
    throw new Error('Cannot describe Prefer: no paths or parameters');
  const end = found.index + found[0].length;
  return (
    text.slice(0, found.index) +
    found[0].replaceAll(path, (line) => line + ofPath) +
    text.slice(end).replace(definition.before, (line) => line + definition.text)
  );
}
