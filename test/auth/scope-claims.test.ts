/** Where the tokens of common providers have their scopes, and what is said of those without. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readScopes } from '../../src/auth/scope-claims.ts';

const audience = 'https://plants.example.org';
const read = ['plants:read'];
const both = ['plants:read', 'plants:write'];

for (const [name, claims, paths, scopes, origin] of [
  ['a standard token (RFC 9068)', { scope: 'openid plants:read' }, ['scope'], read, 'in the claim scope'],
  ['a user of Entra ID', { scp: 'plants:read plants:write' }, ['scp', 'roles'], both, 'in the claim scp'],
  ['a program of Entra ID', { roles: ['plants:read'] }, ['scp', 'roles'], read, 'in the claim roles'],
  ['both claims', { scp: 'plants:read', roles: ['plants:write'] }, ['scp', 'roles'], both, 'in the claim scp, roles'],
  [
    'a role of a realm in Keycloak',
    { scope: 'email profile', realm_access: { roles: ['offline_access', 'plants:read'] } },
    ['realm_access.roles'],
    read,
    'in the claim realm_access.roles',
  ],
  [
    'a role of a client in Keycloak, whose id has dots',
    { resource_access: { account: { roles: [] }, 'shop.example.org': { roles: ['plants:read'] } } },
    ['resource_access.shop.example.org.roles'],
    read,
    'in the claim resource_access.shop.example.org.roles',
  ],
  ['a claim that is a URL', { 'https://a.example/roles': read }, ['https://a.example/roles'], read, 'in the claim'],
  [
    'Cognito, which puts the resource server in front',
    { scope: `openid ${audience}/plants:read https://other.example.org/plants:write` },
    ['scope'],
    read,
    'in the claim scope',
  ],
  ['texts that are no scopes', { scope: ['x', 7, null, `${audience}/`] }, ['scope'], [], 'in the claim scope'],
  ['no claim', { scope: 'plants:read' }, ['scp', 'roles'], [], 'no claim with scopes: scp, roles'],
  ['a claim of another type', { scope: { plants: true } }, ['scope', 'scope.plants'], [], 'no claim with scopes'],
  ['a member of the prototype', {}, ['constructor', 'toString.name'], [], 'no claim with scopes'],
] as const)
  it(`readScopes() reads ${name}`, () => {
    const found = readScopes(claims, paths, audience);
    assert.deepEqual([...found.scopes], scopes);
    assert.ok(found.origin.includes(origin), found.origin);
  });
