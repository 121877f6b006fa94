/** Creates and revokes tokens of a running service with the command line. */
import assert from 'node:assert/strict';
import type { Scope } from '../../src/domain/principal.ts';
import { runCli } from '../cli/run-cli.ts';
import type { Service } from './service-run.ts';
import { environmentOf } from './store-under-test.ts';

/** Creates a token; like the canary, it must not leak. */
export async function createToken(
  service: Service,
  scopes: readonly Scope[],
  flags: readonly string[] = [],
): Promise<{ readonly token: string; readonly id: string }> {
  const { code, stdout, stderr } = await runTokenCommand(
    service,
    'create',
    '--name',
    'test',
    '--scope',
    ...scopes,
    ...flags,
  );
  assert.equal(code, 0, stderr);
  const token = stdout.trim();
  service.addSecret(token);
  return { token, id: /^Created token (\S+) /.exec(stderr)?.[1] ?? '' };
}

export async function revokeToken(service: Service, id: string): Promise<void> {
  const { code, stderr } = await runTokenCommand(service, 'revoke', id);
  assert.equal(code, 0, stderr);
}

/** Runs `plant-store token …` on the store of the service. */
export function runTokenCommand(service: Service, ...args: string[]): ReturnType<typeof runCli> {
  return runCli(['token', ...args], environmentOf(service.dataDir));
}
