/** What people read in place of the scopes of the API, and how they get a token that has them. */
import type { Scope } from './session.ts';

export const scopeNames: Readonly<Record<Scope, string>> = {
  'plants:read': 'View plants',
  'plants:write': 'Change plants',
  'webhooks:manage': 'Manage webhooks',
  'tokens:manage': 'Manage tokens',
};

export function tokenCommand(scopes: readonly Scope[]): string {
  return `npm run -s plant-store -- token create --name me --scope ${scopes.join(' ')}`;
}
