/** Who is signed in: the token, what it may do, and the client that carries it. The token is never in an address, a log or a draft. */
import { ConnectionError, PlantClient, PlantStoreError } from '../../../src/client/client.ts';
import { Observable } from '../observable.ts';
import { noteAway } from './connection.ts';
import { dropDrafts } from './drafts.ts';
import { serviceUrl } from './service-url.ts';

export interface Session {
  readonly client: PlantClient;
  /** Has `plants:read`, as far as is known. */
  readonly canRead: boolean;
  /** Has `plants:write`, as far as is known. */
  readonly canWrite: boolean;
  /** Whether the token is kept for this tab. */
  readonly isKept: boolean;
}

/** `restoring`: a kept token is being looked at. */
export const session = new Observable<Session | 'restoring' | undefined>(undefined);
/** Why nobody is signed in, when that is not by choice. */
export const farewell = new Observable<string | undefined>(undefined);

const tokenKey = 'plant-store.token';

/** Resolves to undefined once signed in, otherwise to what was wrong. */
export async function signIn(token: string, isKept: boolean): Promise<string | undefined> {
  const trimmed = token.trim();
  if (trimmed === '') return 'Enter a token.';
  try {
    await start(trimmed, isKept);
  } catch (error) {
    if (error instanceof TypeError) return 'This cannot be a token: it holds characters that no token has.';
    if (error instanceof PlantStoreError && error.status === 401)
      return 'The service does not know this token. It may be mistyped, expired or revoked.';
    if (error instanceof ConnectionError) return 'The service does not answer. Check that it runs, then try again.';
    return error instanceof Error ? error.message : String(error);
  }
  farewell.set(undefined);
  if (isKept) storage()?.setItem(tokenKey, trimmed);
  return undefined;
}

/** Signs in with the token that the tab kept, if it did. */
export async function restoreSession(): Promise<void> {
  const token = storage()?.getItem(tokenKey) ?? undefined;
  if (token === undefined) return;
  session.set('restoring');
  try {
    await start(token, true);
  } catch (error) {
    if (error instanceof PlantStoreError && error.status === 401) {
      endSession('The token is no longer valid. Sign in again: what you typed is still here.');
      return;
    }
    // Nothing is known yet: the answers to come will tell.
    noteAway();
    session.set({ client: openClient(token), canRead: true, canWrite: true, isKept: true });
  }
}

/** By choice: nothing stays behind. */
export function signOut(): void {
  dropDrafts();
  endSession(undefined);
}

function endSession(reason: string | undefined): void {
  storage()?.removeItem(tokenKey);
  farewell.set(reason);
  session.set(undefined);
}

/** Learns from an error of any call. @param needs the scope of the call. */
export function noteError(error: unknown, needs: 'read' | 'write'): void {
  const current = session.value;
  if (isAway(error)) {
    noteAway();
  } else if (error instanceof PlantStoreError && error.status === 401) {
    endSession('The token is no longer valid. Sign in again: what you typed is still here.');
  } else if (error instanceof PlantStoreError && error.status === 403 && typeof current === 'object') {
    session.set({ ...current, ...(needs === 'read' ? { canRead: false } : { canWrite: false }) });
  }
}

/** Whether the service did not answer, or said that it cannot just now. */
export function isAway(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof PlantStoreError && error.status === 503);
}

async function start(token: string, isKept: boolean): Promise<void> {
  const client = openClient(token);
  // Neither changes anything: a list of one, and the dry run of an import without rows.
  const [canRead, canWrite] = await Promise.all([
    isAllowed(client.listPage({ pageSize: 1 })),
    isAllowed(client.import('\n', { mediaType: 'application/x-ndjson', dryRun: true })),
  ]);
  session.set({ client, canRead, canWrite, isKept });
}

/** False after 403. Refusals that come behind the question of scopes mean yes. */
async function isAllowed(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof PlantStoreError) || error.status === 401 || error.status >= 500) throw error;
    return error.status !== 403;
  }
  return true;
}

function openClient(token: string): PlantClient {
  return new PlantClient({ url: serviceUrl, token, retries: 2, timeoutMs: 15_000 });
}

/** Undefined where the browser refuses it. */
function storage(): Storage | undefined {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}
