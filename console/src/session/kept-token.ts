/** Where tokens are kept: of people who stay signed in, in the browser for all tabs, until it expires or they sign out. Who is signed in is decided in session.ts. */
import { toStorageKey } from './service-url.ts';
import { readStored, writeStored } from '../ui/stored-text.ts';

export interface KeptToken {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** `ended`: the token was found invalid in another tab, or has expired. */
type KeptEvent = 'kept' | 'signed-out' | 'ended';

export const keptDays = 30;

const key = toStorageKey('token');
/** Stands in place of the token for a moment, so that other tabs see that the person signed out. */
const signedOutMark = 'signed-out';
const expiryCheckMs = 60_000;

export function findKept(): KeptToken | undefined {
  const [, time, token] = /^(\d+) (.+)$/.exec(read() ?? '') ?? [];
  if (token === undefined) return undefined;
  const expiresAt = Number(time);
  if (expiresAt > Date.now()) return { token, expiresAt };
  remove();
  return undefined;
}

/** Undefined when the browser does not allow it. */
export function keep(token: string): KeptToken | undefined {
  const expiresAt = Date.now() + keptDays * 86_400_000;
  return writeStored('localStorage', key, `${expiresAt} ${token}`) ? { token, expiresAt } : undefined;
}

/** Does nothing if another tab keeps another token by now. */
export function forgetKept({ token }: KeptToken, reason: 'signed-out' | 'ended'): void {
  if (findKept()?.token !== token) return;
  // Where that is not possible, the other tabs see that it ended, and keep their drafts.
  if (reason === 'signed-out') writeStored('localStorage', key, signedOutMark);
  remove();
}

/** Calls the listener for what other tabs do with the token, and when it expires. */
export function onKeptElsewhere(listener: (event: KeptEvent) => void): void {
  addEventListener('storage', (event) => {
    // Without a key: everything was cleared.
    if (event.key !== key && event.key !== null) return;
    listener(event.newValue === null ? 'ended' : event.newValue === signedOutMark ? 'signed-out' : 'kept');
  });
  setInterval(() => {
    const hadToken = read() !== undefined;
    if (hadToken && findKept() === undefined) listener('ended');
  }, expiryCheckMs);
}

function read(): string | undefined {
  return readStored('localStorage', key);
}

function remove(): void {
  writeStored('localStorage', key, undefined);
}

const tabKey = toStorageKey('tab-token');

/** The token of people who do not stay signed in: kept for this tab, so that a reload does not sign them out. It ends with the tab or the session. */
export function findTabToken(): string | undefined {
  return readStored('sessionStorage', tabKey);
}

/** @param token undefined removes it. */
export function setTabToken(token: string | undefined): void {
  writeStored('sessionStorage', tabKey, token);
}
