/** `plant-store demo`: a sandbox on this machine, for those who want to try the service. */
import { randomBytes } from 'node:crypto';
import { loadConfig } from '../../config/load-config.ts';
import { options } from '../../config/options.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand } from '../inputs/add-command.ts';
import { toCommandOption } from '../inputs/store.ts';

/** Other variables are about a service that stores something. */
const variables = [options.port.env, options.logLevel.env, options.logFormat.env];

export const demoCommand = defineCommand({
  name: 'demo',
  summary: 'Try the service, without a token or a folder',
  description: 'Run a sandbox on this machine until Ctrl-C. It has 250 plants in memory and writes no file.',
  options: [toCommandOption(options.port).helpGroup('Options:')],
  examples: ['plant-store demo', 'plant-store demo --port 8080'],
  run: demo,
});

async function demo({ port }: { readonly port?: string }, context: CommandContext): Promise<void> {
  const env = Object.fromEntries(variables.map((name) => [name, context.env[name]]));
  const flags = {
    [options.port.flag]: port,
    [options.sandbox.flag]: 'true',
    // Only this machine can reach it.
    [options.sandboxRate.flag]: 'off',
    [options.sandboxNewSpacesRate.flag]: 'off',
    // The welcome says it all.
    ...(env[options.logLevel.env] ? {} : { [options.logLevel.flag]: 'warn' }),
  };
  const config = loadConfig(flags, env);
  const { runSandbox } = await import('./run-sandbox.ts');
  context.setExitCode(await runSandbox(config, context, toWelcome));
}

function toWelcome(url: string): string {
  const token = `sandbox-${randomBytes(8).toString('hex')}`;
  return `
  Plant Store demo: 250 plants in memory, gone when you stop it

  Console  ${url}/console
  Docs     ${url}/docs
  Token    ${token}, or sandbox- with any other 8 letters or digits
  Stop     Ctrl-C

  curl -H 'Authorization: Bearer ${token}' ${url}/plants/7

`;
}
