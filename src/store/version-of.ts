/** The version of a stored plant: a function of its content, so that it needs no column, survives a restore, and is the same on every store. */
import { hash } from 'node:crypto';
import type { Plant } from '../domain/schemas.ts';
import type { Condition } from '../domain/store.ts';

/** 22 base64url characters: the first 128 bits of SHA-256. A name holds no U+0000, so that an absent, an empty and a joined tag differ. */
export function versionOf({ name, tag }: Plant): string {
  return hash('sha256', tag === undefined ? name : `${name}\0${tag}`, 'base64url').slice(0, 22);
}

/** Whether the condition allows a change of the stored plant, which may be absent (RFC 9110, section 13.2.2). */
export function allows({ ifMatch, ifNoneMatch }: Condition, stored: Plant | undefined): boolean {
  if (ifMatch !== undefined && !names(ifMatch, stored)) return false;
  return ifNoneMatch === undefined || !names(ifNoneMatch, stored);
}

function names(versions: '*' | readonly string[], stored: Plant | undefined): boolean {
  if (stored === undefined) return false;
  return versions === '*' || versions.includes(versionOf(stored));
}
