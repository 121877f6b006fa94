/** `plant-store mcp`: lets a language model use a running service, by MCP over standard streams. */
import { inspect } from 'node:util';
import type { CommandContext } from '../command-context.ts';
import { defineCommand, toStopSignal } from '../inputs/add-command.ts';
import { readInput } from '../inputs/import-source.ts';
import { type ServiceFlags, serviceOptions, withClient } from '../inputs/service.ts';

interface Given extends ServiceFlags {
  readonly write?: boolean;
}

export const mcpCommand = defineCommand({
  name: 'mcp',
  summary: 'Let a language model use the plants',
  description:
    'Let a language model search and read the plants of a running service. An application that speaks the Model Context Protocol starts this command and talks to it over standard input and output; it ends with standard input.',
  options: [['--write', 'Let it create, update and delete plants, too'], ...serviceOptions],
  examples: ['plant-store mcp', 'plant-store mcp --write --url https://plants.example.org --token-file plants.token'],
  run: serveModel,
});

async function serveModel({ write = false, ...flags }: Given, context: CommandContext): Promise<void> {
  const { stdin, stdout, stderr, version } = context;
  const stopped = toStopSignal(context);
  const unread = new AbortController();
  const signal = AbortSignal.any([stopped, unread.signal]);
  let unsent = 0;
  // A client that does not read its replies would keep the process from ending.
  stopped.addEventListener('abort', () => unsent > 0 && context.exitNow(0));
  await withClient(flags, context, async (client, explain) => {
    const [{ Session }, { tools }, { readLines }] = await Promise.all([
      import('../../mcp/session.ts'),
      import('../../mcp/tools.ts'),
      import('../../mcp/read-lines.ts'),
    ]);
    const session = new Session({
      tools: tools.filter(({ isWrite }) => write || !isWrite),
      client,
      version,
      explain,
      signal,
      write: async (text) => {
        unsent++;
        if (!(await stdout.writeAll(new TextEncoder().encode(text)))) unread.abort();
        unsent--;
      },
      onBug: (error) => stderr.write(`plant-store: ${inspect(error)}\n`),
    });
    try {
      for await (const line of readLines(readInput(stdin, signal))) await session.take(line);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    await session.end();
  });
}
