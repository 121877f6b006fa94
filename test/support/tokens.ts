/** Creates and revokes tokens of a running service in its store, as the command line does. */
import assert from 'node:assert/strict';
import { issueToken } from '../../src/auth/token.ts';
import type { Scope, TokenRecord } from '../../src/domain/principal.ts';
import type { Service } from './service-run.ts';
import { withTokens } from './store-under-test.ts';

export interface TokenOptions {
  /** Absent: it never expires. */
  readonly lifeMs?: number;
}

/** Creates a token; like the canary, it must not leak. */
export async function createToken(
  service: Service,
  scopes: readonly Scope[],
  { lifeMs }: TokenOptions = {},
): Promise<{ readonly token: string; readonly id: string }> {
  const now = Date.now();
  const expiry = lifeMs === undefined ? {} : { expiresAt: now + lifeMs };
  const { token, record } = issueToken({ name: 'test', scopes, now, ...expiry });
  service.addSecret(token);
  await withTokens(service.dataDir, (tokens) => tokens.insert(record));
  return { token, id: record.id };
}

export async function revokeToken(service: Service, id: string): Promise<void> {
  assert.ok(await withTokens(service.dataDir, (tokens) => tokens.revoke(id, Date.now())));
}

export function listTokens(service: Service): Promise<TokenRecord[]> {
  return withTokens(service.dataDir, (tokens) => tokens.list());
}
