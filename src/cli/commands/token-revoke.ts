/** `plant-store token revoke`: a running service refuses the token within one second. The record stays, for the list. */
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { addStoreLocation, type GivenLocation } from '../inputs/store-location.ts';
import { UsageError } from '../usage-error.ts';
import { withTokenStore } from '../inputs/with-token-store.ts';

export function addTokenRevoke(token: Command, context: CommandContext): void {
  addStoreLocation(
    token
      .command('revoke')
      .description('Revoke a token for ever. A running service refuses it within one second.')
      .argument('<id>', 'The id that "token list" shows; not the token itself'),
  )
    .addHelpText(
      'after',
      `
Examples:
  plant-store token revoke 4fKq02LmZx9B
  plant-store token revoke 4fKq02LmZx9B --data-dir /var/lib/plant-store`,
    )
    .action((id: string, given: GivenLocation) => revokeToken(id, given, context));
}

async function revokeToken(id: string, given: GivenLocation, context: CommandContext): Promise<void> {
  // Anything else, a token above all, is not repeated on the screen.
  if (!/^[A-Za-z0-9]{1,32}$/.test(id)) {
    throw new UsageError([
      'Cannot revoke token: ID must be the one that "plant-store token list" shows, not the token itself',
    ]);
  }
  const isKnown = await withTokenStore(given, context, (tokens) => tokens.revoke(id, context.now()));
  if (!isKnown) throw new Error(`Cannot revoke token: no token has the id ${id}`);
  context.stdout.write(`Revoked token ${id}\n`);
}
