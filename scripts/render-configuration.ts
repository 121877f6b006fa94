/** Renders docs/reference/configuration.md from the table of options. */
import { clientVariables, optionGroups, options } from '../src/config/options.ts';
import type { Option } from '../src/config/options.ts';
import { valueTypes } from '../src/config/value-types.ts';

const head = `<!-- Generated from src/config/options.ts by npm run generate. Do not edit. -->

# Configuration

Each option is an environment variable and a flag of \`plant-store serve\`; the flag wins. There is no configuration file.

- An empty variable counts as unset.
- An invalid value, an unknown flag or an unknown \`PLANT_STORE_*\` variable prevents the start: one line each on stderr, exit code 2.
- A duration has a unit: \`ms\`, \`s\`, \`m\`, \`h\` or \`d\`. A size is in bytes, or has the unit \`KiB\`, \`MiB\` or \`GiB\`.
- Set \`LOG_LEVEL=debug\` to include the cause of an error, with any command.
- Commands that use a running service also read ${clientVariables.map((name) => `\`${name}\``).join(', ')}; \`serve\` does not.
`;

export function renderConfiguration(): string {
  const sections = optionGroups.map((group) => {
    const rows = Object.values<Option>(options).filter((option) => option.group === group);
    return [
      `## ${group}`,
      '',
      '| variable | flag | default | value | what it does |',
      '| -------- | ---- | ------- | ----- | ------------ |',
      ...rows.map(toRow),
      '',
    ].join('\n');
  });
  return [head, ...sections].join('\n');
}

function toRow(option: Option): string {
  const { env, flag, default: fallback, help, note, secret } = option;
  const wanted = valueTypes[option.type].wanted(option);
  const meaning = [
    `${toCell(help)}.`,
    ...(note === undefined ? [] : [note]),
    ...(secret === true ? ['Never logged.'] : []),
  ];
  const shown = fallback === undefined ? 'unset' : fallback === '' ? 'empty' : `\`${fallback}\``;
  return `| ${[`\`${env}\``, `\`${flag}\``, shown, toCell(wanted), meaning.join(' ')].join(' | ')} |`;
}

/** Escapes characters that Markdown would read as markup or as the end of the cell. */
function toCell(text: string): string {
  return text.replaceAll(/[\\`*_|<>[\]]/g, '\\$&');
}
