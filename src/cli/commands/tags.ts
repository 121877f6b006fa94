/** `plant-store tags`: the tags in use, each with its number of plants. */
import type { TagCount } from '../../domain/schemas.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand } from '../inputs/add-command.ts';
import { withClient, serviceOptions, type ServiceFlags } from '../inputs/service.ts';
import { toJsonArray, toJsonLines } from '../output/json-text.ts';
import { toTable } from '../output/to-table.ts';

interface Given extends ServiceFlags {
  readonly prefix?: string;
  readonly json?: boolean;
}

export const tagsCommand = defineCommand({
  name: 'tags',
  summary: 'List the tags and how many plants have each',
  description:
    'List the tags in use, sorted by code point, with the number of plants that have each: a table on a terminal, one JSON object a line elsewhere.',
  options: [
    ['--prefix <text>', 'Only tags that begin with exactly this'],
    ['--json', 'Write one JSON array'],
    ...serviceOptions,
  ],
  examples: ['plant-store tags', 'plant-store tags --prefix cl --json'],
  run: listTags,
});

async function listTags(given: Given, context: CommandContext): Promise<void> {
  const { prefix, json = false } = given;
  const { stdout, stderr } = context;
  if (!json && !stdout.isTTY) {
    // There may be millions.
    await withClient(given, context, async (client) => {
      for await (const tag of client.tags({ prefix }))
        if (!(await stdout.writeAll(new TextEncoder().encode(toJsonLines([tag]))))) return;
    });
    return;
  }
  const tags = await withClient(given, context, (client) => Array.fromAsync(client.tags({ prefix })));
  if (json) stdout.write(toJsonArray(tags));
  else if (tags.length === 0) stderr.write('No tags found.\n');
  else stdout.write(toTable([['PLANTS', 'TAG'], ...tags.map(toRow)], { width: stdout.columns, uncut: [0] }));
}

function toRow({ tag, plants }: TagCount): string[] {
  return [plants.toString(), tag === '' ? '""' : tag];
}
