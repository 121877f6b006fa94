/** The sandbox that serves this page, if it is one: a random token of this browser, and when its plants are dropped. */
import { toStorageKey } from './service-url.ts';
import { readStored, writeStored } from '../ui/stored-text.ts';

/** Such as `1 hour`; undefined: the service is no sandbox. */
export const sandboxIdle = document.querySelector<HTMLMetaElement>('meta[name="sandbox-idle"]')?.content;

export const sandboxLine = `Sandbox: these plants are yours, in memory, and dropped after ${sandboxIdle ?? ''} without a request.`;

const key = toStorageKey('sandbox-token');

/** The same for the console and the documentation, also after a reload. */
export function findSandboxToken(): string | undefined {
  if (sandboxIdle === undefined) return undefined;
  const token = `sandbox-${[...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  const kept = readStored('localStorage', key) ?? token;
  writeStored('localStorage', key, kept);
  return kept;
}
