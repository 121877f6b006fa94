/** Who is signed in: the token, what it allows, and the client that sends it. The token is never in an address, a log or a draft. */
import {
  type ClientOptions,
  ConnectionError,
  type OwnToken,
  type PlantClient,
  PlantStoreError,
} from '../../../src/client/client.ts';
import { Observable, useValue } from '../observable.ts';
import { navigate } from '../route.ts';
import { noteAway, onBack } from './connection.ts';
import { countDrafts, dropDrafts } from './drafts.ts';
import {
  findKept,
  findTabToken,
  forgetKept,
  keep,
  type KeptToken,
  onKeptElsewhere,
  setTabToken,
} from './kept-token.ts';
import { isAway } from './reasons.ts';
import { findSandboxToken } from './sandbox.ts';
import { serviceUrl } from './service-url.ts';

export interface Session {
  readonly client: PlantClient;
  /** Undefined until the service has said it. */
  readonly own: OwnToken | undefined;
  /** Has `plants:read`, as far as is known. */
  readonly canRead: boolean;
  /** Has `plants:write`, as far as is known. */
  readonly canWrite: boolean;
  /** The token as this browser keeps it; undefined: this tab keeps it. */
  readonly kept: KeptToken | undefined;
  /** Aborted when it ends. */
  readonly ending: AbortController;
  /** What parts of the page know as long as it lasts, see `ofSession`. */
  readonly states: Map<unknown, unknown>;
}

/** `restoring`: a kept token is being checked. */
export const session = new Observable<Session | 'restoring' | undefined>(undefined);
/** Why the session ended, unless the person signed out in this tab, and what it has left undone. */
export const farewell = new Observable<string | undefined>(undefined);

/** Undefined: nobody is signed in. */
export function currentSession(): Session | undefined {
  return typeof session.value === 'object' ? session.value : undefined;
}

export function useSession(): Session {
  return useValue(session) as Session;
}

/** A state of the page that is made when it is first asked for, and dropped with the session. Without a session, nothing is kept. */
export function ofSession<State>(make: () => State): () => State {
  return () => {
    const states = currentSession()?.states ?? new Map<unknown, unknown>();
    if (!states.has(make)) states.set(make, make());
    return states.get(make) as State;
  };
}

const invalidText = 'The token is no longer valid.';

function toSignIn(reason: string): string {
  return `${reason} Sign in again${countDrafts() > 0 ? '; your unsaved changes are still here' : ''}.`;
}

/** Resolves to undefined when signed in, otherwise to what is wrong. */
export async function signIn(token: string, isKept: boolean): Promise<string | undefined> {
  const trimmed = token.trim();
  if (trimmed === '') return 'Enter a token.';
  try {
    const opened = await open(trimmed);
    const kept = isKept ? keep(trimmed) : undefined;
    setTabToken(kept === undefined ? trimmed : undefined);
    session.set({ ...opened, kept });
  } catch (error) {
    if (error instanceof TypeError) return 'This is not a token: it has characters that no token contains.';
    if (error instanceof PlantStoreError && error.status === 401)
      return 'The service does not know this token. It may be mistyped, expired or revoked.';
    if (error instanceof ConnectionError)
      return 'The service is not responding. Check that it is running, then try again.';
    return error instanceof Error ? error.message : String(error);
  }
  farewell.set(undefined);
  return undefined;
}

/** Returns the client of a session. */
let toClient: (options: ClientOptions) => PlantClient;

/** Call when the page opens: signs in with the token that is kept, if there is one, and follows what other tabs do with it. */
export async function startSession(make: typeof toClient): Promise<void> {
  toClient = make;
  onKeptElsewhere((event) => {
    const current = session.value;
    if (event === 'kept' && typeof current !== 'object') void restoreSession();
    if (event === 'kept' || current === undefined || (current !== 'restoring' && current.kept === undefined)) return;
    if (event === 'signed-out') dropDrafts();
    endSession(event === 'signed-out' ? 'You signed out in another tab.' : toSignIn('Your session has ended.'));
  });
  // What the token allows may not have been asked yet, or be another by now.
  onBack(() => {
    const current = currentSession();
    current?.client.tokens.self().then((own) => {
      if (session.value === current) session.set({ ...current, ...toRights(own) });
    }, noteError);
  });
  await restoreSession();
}

/** Signs in with the token that this tab or the browser keeps, if there is one. */
async function restoreSession(): Promise<void> {
  const ofTab = findTabToken();
  const kept = ofTab === undefined ? findKept() : undefined;
  const token = ofTab ?? kept?.token;
  if (token === undefined) return enterSandbox();
  session.set('restoring');
  const isKeptStill = (): boolean => (kept === undefined ? findTabToken() : findKept()?.token) === token;
  try {
    const opened = await open(token);
    if (!isKeptStill()) return;
    session.set({ ...opened, kept });
    farewell.set(undefined);
  } catch (error) {
    if (!isKeptStill()) return;
    // A TypeError: it has characters that no token contains.
    if (error instanceof TypeError || (error instanceof PlantStoreError && error.status === 401)) {
      if (kept !== undefined) forgetKept(kept, 'ended');
      endSession(toSignIn(invalidText));
      return;
    }
    // Not known yet; the next responses will tell.
    noteAway();
    session.set({ ...begin(token), own: undefined, canRead: true, canWrite: true, kept });
  }
}

/** A sandbox needs no sign-in. */
async function enterSandbox(): Promise<void> {
  const token = findSandboxToken();
  if (token === undefined) return;
  session.set('restoring');
  const wrong = await signIn(token, false);
  if (wrong !== undefined) endSession(wrong);
  // By id, it begins with those that break clients.
  else if (location.search === '') navigate({ order: 'name' }, { replace: true });
}

/** Leaves nothing behind, here and in every other tab of a kept session. */
export function signOut(): void {
  const kept = currentSession()?.kept;
  if (kept !== undefined) forgetKept(kept, 'signed-out');
  dropDrafts();
  endSession(undefined);
}

function endSession(reason: string | undefined): void {
  const { value } = session;
  setTabToken(undefined);
  farewell.set(reason);
  session.set(undefined);
  if (typeof value === 'object') value.ending.abort(new ConnectionError('response', 'The session has ended.'));
}

/** Says at the sign-in what a session has left undone. Does nothing while one is open: its messages say it. */
export function addFarewell(text: string): void {
  if (session.value === undefined) farewell.set([farewell.value, text].filter(Boolean).join(' '));
}

/** Learns from an error of any call. */
export function noteError(error: unknown): void {
  const current = currentSession();
  // Of a session that has ended.
  if (current === undefined) return;
  if (isAway(error)) {
    noteAway();
  } else if (error instanceof PlantStoreError && error.status === 401) {
    if (current.kept !== undefined) forgetKept(current.kept, 'ended');
    endSession(toSignIn(invalidText));
  }
}

/** A session with the token, once that is known to be valid. */
async function open(token: string): Promise<Omit<Session, 'kept'>> {
  const begun = begin(token);
  return { ...begun, ...toRights(await begun.client.tokens.self()) };
}

function toRights(own: OwnToken): Pick<Session, 'own' | 'canRead' | 'canWrite'> {
  return { own, canRead: own.scopes.includes('plants:read'), canWrite: own.scopes.includes('plants:write') };
}

export type Scope = OwnToken['scopes'][number];

/** Whether the token has the scope, as far as is known. */
export function maySee({ own }: Session, scope: Scope): boolean {
  return own?.scopes.includes(scope) !== false;
}

/** What it has asked for ends with the session. */
function begin(token: string): Pick<Session, 'client' | 'ending' | 'states'> {
  const ending = new AbortController();
  const { signal: end } = ending;
  const client = toClient({
    url: serviceUrl,
    token,
    retries: 2,
    timeoutMs: 15_000,
    fetch: (address, init) => fetch(address, { ...init, signal: AbortSignal.any([end, init?.signal ?? end]) }),
  });
  return { client, ending, states: new Map() };
}
