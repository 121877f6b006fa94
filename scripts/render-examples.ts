/** Renders docs/reference/examples.md: which examples `Prefer` can ask a sandbox for. */
import { membersOf, parseDescription, resolve } from '../src/contract/description.ts';
import { readOperations } from '../src/contract/operations.ts';
import type { JsonValue } from '../src/json/parse-json.ts';
import { renderDescription } from './render-description.ts';

const head = `<!-- Generated from openapi.yaml by npm run generate. Do not edit. -->

# Examples

What a [sandbox](../sandbox.md#force-an-answer) answers if the header field \`Prefer\` asks for it: \`code=409\` is the first example of the
status, \`example=group_taken\` the one of this name, \`code=409, example=group_taken\` the one of both. The examples of errors have their codes as names
([errors](errors.md)); those of other answers are in the [description](../../openapi.yaml).
`;

export function renderExamples(openapiYaml: string): string {
  const document = parseDescription(renderDescription(openapiYaml));
  const toNames = (response: JsonValue | undefined): readonly string[] => {
    const media = Object.values(membersOf(resolve(document, response)['content']));
    return media.flatMap((each) => Object.keys(membersOf(membersOf(each)['examples'])));
  };
  const sections = [...readOperations(document)].map(([name, { method, path, definition }]) => {
    const lines = Object.entries(membersOf(definition['responses'])).map(([status, response]) => {
      const names = [...new Set(toNames(response))].map((each) => `\`${each}\``);
      return `- ${status}: ${names.length === 0 ? 'no content' : names.join(', ')}`;
    });
    return [`## ${name}`, '', `\`${method} ${path}\``, '', ...lines, ''].join('\n');
  });
  const contents = sections
    .map((section) => /^## (\w+)/.exec(section)?.[1] ?? '')
    .map((name) => `[${name}](#${name.toLowerCase()})`);
  return [head, `${contents.join(', ')}\n`, ...sections].join('\n');
}
