/** `plant-store mcp`: lets a language model use a running service, by MCP over standard streams. */
import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import { UsageError } from '../../config/usage-error.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand, toStopSignal } from '../inputs/add-command.ts';
import { type ServiceFlags, serviceOptions, withClient } from '../inputs/service.ts';
import { toInstallCommand } from '../output/install-command.ts';

interface Given extends ServiceFlags {
  readonly write?: boolean;
}

export const mcpCommand = defineCommand({
  name: 'mcp',
  summary: 'Let a language model use the plants',
  description:
    'Let a language model search and read the plants of a running service. An application that speaks the Model Context Protocol starts this command and talks to it over standard input and output; it ends with standard input. Needs the package @modelcontextprotocol/server, which is not installed with plant-store.',
  options: [['--write', 'Let it create, update and delete plants, too'], ...serviceOptions],
  examples: ['plant-store mcp', 'plant-store mcp --write --url https://plants.example.org --token-file plants.token'],
  run: serveModel,
});

async function serveModel({ write = false, ...flags }: Given, context: CommandContext): Promise<void> {
  const { stdin, stdout, stderr, version } = context;
  const [{ serveTools }, { tools }] = await loadModules();
  const signal = toStopSignal(context);
  let unsent = 0;
  // A client that does not read its replies would keep the process from ending.
  signal.addEventListener('abort', () => unsent > 0 && context.exitNow(0));
  const output = new Writable({
    write: (chunk: Uint8Array, _encoding, done) => {
      unsent += 1;
      void stdout.writeAll(chunk).then((isRead) => {
        unsent -= 1;
        done(isRead ? undefined : new Error('Nobody reads the replies'));
      });
    },
  });
  await withClient(flags, context, (client, explain) =>
    serveTools(stdin, output, {
      tools: tools.filter(({ isWrite }) => write || !isWrite),
      client,
      version,
      explain,
      onProblem: (error) => stderr.write(`plant-store: ${inspect(error)}\n`),
      signal,
    }),
  );
  // An open one would keep the process from ending.
  stdin.destroy();
}

async function loadModules() {
  try {
    return await Promise.all([import('../../mcp/serve-tools.ts'), import('../../mcp/tools.ts')]);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(
      `Cannot load the package of the Model Context Protocol: ${reason}`,
      `Install it with: ${await toInstallCommand('@modelcontextprotocol/')}`,
    );
  }
}
