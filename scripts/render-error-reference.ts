/** Renders docs/reference/errors.md from the error registry. Contains no text about single errors. */
import { STATUS_CODES } from 'node:http';
import type { ErrorEntry } from '../src/domain/error-registry.ts';

const head = `<!-- Generated from src/domain/error-registry.ts by npm run generate. Do not edit. -->

# Errors

Every error response has the media type \`application/json\` and this body:

\`\`\`json
{ "error": 40901, "message": "Cannot store plant: this id already exists with a different name or tag" }
\`\`\`

- \`error\` is the status x 100 + n. A number never changes its meaning and is never reused: use it in your code.
- \`message\` is for people. It begins with the text in the table, may end with a detail, and may be reworded.
- A number that ends in 00, such as 41300, is made by the client and the commands: the response was not from the service but, for
  example, from a proxy in front of it. Its log says why. 41300: let it accept request bodies of 1 MB.
- The code is the name of the error in logs and in the source; it is not part of the response.
`;

export function renderErrorReference(registry: Readonly<Record<string, ErrorEntry>>): string {
  const entries = Object.entries(registry).sort(([, one], [, other]) => one.number - other.number);
  const statuses = new Set(entries.map(([, { number }]) => toStatus(number)));
  const sections = [...statuses].map((status) => {
    const rows = entries.filter(([, { number }]) => toStatus(number) === status).map(toRow);
    return [
      `## ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd(),
      '',
      '| number | code | message | meaning | remedy |',
      '| ------ | ---- | ------- | ------- | ------ |',
      ...rows,
      '',
    ].join('\n');
  });
  return [head, ...sections].join('\n');
}

function toStatus(number: number): number {
  return Math.floor(number / 100);
}

function toRow([code, { number, message, meaning, remedy }]: [string, ErrorEntry]): string {
  return `| ${[`${number}`, `\`${code}\``, ...[message, meaning, remedy].map(toCell)].join(' | ')} |`;
}

/** Escapes characters that Markdown would read as markup or as the end of the cell. */
function toCell(text: string): string {
  return text.replaceAll(/[\\`*_|<>[\]]/g, '\\$&').replaceAll(/\s+/g, ' ');
}
