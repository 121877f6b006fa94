/** Finds the scopes of an access token: providers have them in various claims, as a text or an array. */
import { isScope, type Scope } from '../domain/principal.ts';

interface GivenScopes {
  /** The scopes in the claims, without those that the service does not know. */
  readonly scopes: ReadonlySet<Scope>;
  /** For an answer and the log: where they come from. Without quotes (RFC 6750, section 3). */
  readonly origin: string;
}

/**
 * @param paths of claims: a name, or with dots the path of a member, such as `realm_access.roles`.
 * @param audience may be in front of a scope, as in `https://plants.example.org/plants:read`.
 */
export function readScopes(claims: object, paths: readonly string[], audience: string): GivenScopes {
  const found = paths.flatMap((path) => {
    const claim = findClaim(claims, path);
    const texts: unknown = typeof claim === 'string' ? claim.split(' ') : claim;
    return Array.isArray(texts) ? [{ path, texts: texts.filter((text) => typeof text === 'string') }] : [];
  });
  const names = found.flatMap(({ texts }) => texts).map((text) => removeStart(text, `${audience}/`));
  const list = (found.length === 0 ? paths : found.map(({ path }) => path)).join(', ');
  return {
    scopes: new Set(names.filter(isScope)),
    origin:
      found.length === 0
        ? `The token has no claim with scopes: ${list}`
        : `Scopes of the token are in the claim ${list}`,
  };
}

/** A name may have dots itself, as a URL or the id of a client in Keycloak. */
function findClaim(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const members = value as Readonly<Record<string, unknown>>;
  if (Object.hasOwn(members, path)) return members[path];
  const names = Object.keys(members).filter((name) => path.startsWith(`${name}.`));
  return names.map((name) => findClaim(members[name], path.slice(name.length + 1))).find((each) => each !== undefined);
}

function removeStart(text: string, start: string): string {
  return text.startsWith(start) ? text.slice(start.length) : text;
}
