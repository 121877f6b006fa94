/** `plant-store demo`: a sandbox on this machine, to try the service. */
import { randomBytes } from 'node:crypto';
import { loadConfig } from '../../config/load-config.ts';
import { options } from '../../config/options.ts';
import { toJson } from '../../json/to-json.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand } from '../inputs/add-command.ts';
import { toCommandOption } from '../inputs/store.ts';

/** Other variables are about a service that stores something. */
const variables = [options.port.env, options.logLevel.env, options.logFormat.env];

export const demoCommand = defineCommand({
  name: 'demo',
  summary: 'Try the service, without a token or a folder',
  description: 'Run a sandbox on this machine until Ctrl-C. It has 250 plants in memory and writes no file.',
  options: [
    toCommandOption(options.port).helpGroup('Options:'),
    ['--json', 'For programs: write the address and a token as one line of JSON, once it serves'],
  ],
  examples: ['plant-store demo', 'plant-store demo --port 8080', 'plant-store demo --port 0 --json'],
  run: demo,
});

interface Given {
  readonly port?: string;
  readonly json?: boolean;
}

async function demo({ port, json = false }: Given, context: CommandContext): Promise<void> {
  const env = Object.fromEntries(variables.map((name) => [name, context.env[name]]));
  const flags = {
    [options.port.flag]: port,
    [options.sandbox.flag]: 'true',
    // Only this machine can reach it.
    [options.sandboxRate.flag]: 'off',
    [options.sandboxNewSpacesRate.flag]: 'off',
    // The welcome says it all.
    ...(env[options.logLevel.env] ? {} : { [options.logLevel.flag]: 'warn' }),
    ...(json ? { [options.logFormat.flag]: 'json' } : {}),
  };
  const config = loadConfig(flags, env);
  const { runSandbox } = await import('./run-sandbox.ts');
  context.setExitCode(
    await runSandbox(config, context, (url) => {
      const token = `sandbox-${randomBytes(8).toString('hex')}`;
      return json ? `${toJson({ url, token })}\n` : toWelcome(url, token);
    }),
  );
}

function toWelcome(url: string, token: string): string {
  return `
  Plant Store demo: 250 plants in memory, gone when you stop it

  Console  ${url}/console
  Docs     ${url}/docs
  Token    ${token}, or sandbox- with 8 to 64 other letters or digits
  Stop     Ctrl-C

  curl -H 'Authorization: Bearer ${token}' ${url}/plants/7

`;
}
