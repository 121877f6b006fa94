/** What people read in place of the scopes of the API, and what each allows in the console. */
import type { Scope } from './session.ts';

export const scopeNames: Readonly<Record<Scope, string>> = {
  'plants:read': 'View plants',
  'plants:write': 'Change plants',
  'webhooks:manage': 'Manage webhooks',
  'tokens:manage': 'Manage tokens',
};
