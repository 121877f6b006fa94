/** The token that requests of this page carry: in memory, or in this browser if the person says so. */
import { findSandboxToken } from '../src/session/sandbox.ts';
import { toStorageKey } from '../src/session/service-url.ts';

const tokenKey = toStorageKey('docs-token');

let token = read() || (findSandboxToken() ?? '');
let isWanted = read() !== '';

export function currentToken(): string {
  return token;
}

export function isTokenKept(): boolean {
  return isWanted;
}

export function setToken(text: string, isKept: boolean): void {
  token = text.trim();
  isWanted = isKept;
  if (!isKept) keepToken();
}

/** Call when the token is sent: until then it may be half of one. */
export function keepToken(): void {
  try {
    if (isWanted && token !== '') localStorage.setItem(tokenKey, token);
    else localStorage.removeItem(tokenKey);
  } catch {
    // Without storage it lasts as long as the page.
  }
}

function read(): string {
  try {
    return localStorage.getItem(tokenKey) ?? '';
  } catch {
    return '';
  }
}
