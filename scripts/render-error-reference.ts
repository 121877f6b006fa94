/** Renders docs/reference/errors.md from the error registry. No sentence about a single error is written here. */
import { STATUS_CODES } from 'node:http';
import type { ErrorEntry } from '../src/domain/error-registry.ts';

const head = `<!-- Generated from src/domain/error-registry.ts by npm run generate. Do not edit. -->

# Errors

Every answer that is not a success has the media type \`application/json\` and this body, whatever went wrong:

\`\`\`json
{ "error": 40901, "message": "Cannot store plant: its id belongs to another plant" }
\`\`\`

- \`error\` is the status x 100 + n. A number never changes its meaning and is never given to another error: decide on it.
- \`message\` is for people. It begins as the table says, sometimes goes on with a detail, and may be reworded.
- The code is the name of the error in logs and in the source; it is not part of the answer.
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

/** Plain text that Markdown would read as markup, or as the end of the cell, is escaped. */
function toCell(text: string): string {
  return text.replaceAll(/[\\`*_|<>[\]]/g, '\\$&').replaceAll(/\s+/g, ' ');
}
