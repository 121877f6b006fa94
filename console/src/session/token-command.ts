/** The command that creates an access token. */

export function tokenCommand(scopes: readonly string[]): string {
  return `npm run -s plant-store -- token create --name me --scope ${scopes.join(' ')}`;
}
