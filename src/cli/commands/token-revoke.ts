/** `plant-store token revoke`: services refuse the token within a second. Its record stays. */
import { UsageError } from '../../config/usage-error.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand } from '../inputs/add-command.ts';
import { type GivenLocation, toStoreOptions, withTokenStore } from '../inputs/store.ts';

interface Given extends GivenLocation {
  readonly json?: boolean;
}

export const tokenRevokeCommand = defineCommand({
  name: 'revoke',
  summary: 'Revoke a token',
  description:
    'Revoke a token permanently. A running service refuses it within one second; all tokens of a user of an OpenID provider, whose id begins with jwt:, within a minute.',
  argument: ['<id>', 'The id that "token list" shows; not the token itself'],
  options: [['--json', 'Write one JSON object'], ...toStoreOptions()],
  examples: [
    'plant-store token revoke 4fKq02LmZx9B',
    'plant-store token revoke 4fKq02LmZx9B --data-dir /var/lib/plant-store',
  ],
  run: revokeToken,
});

async function revokeToken({ json = false, ...given }: Given, context: CommandContext, id: string): Promise<void> {
  // Anything else may be a token, and is not shown.
  if (!/^(?:jwt:)?[A-Za-z0-9]{1,32}$/.test(id)) {
    throw new UsageError(
      'Cannot revoke token: ID must be the one that "plant-store token list" shows, not the token itself',
    );
  }
  const isKnown = await withTokenStore(given, context, (tokens) => tokens.revoke(id, context.now()));
  if (!isKnown)
    throw new Error(`Cannot revoke token: no token has the id ${id}; "plant-store token list" shows the ids`);
  context.stdout.write(json ? `${JSON.stringify({ id, revoked: true })}\n` : `Revoked token ${id}\n`);
}
