/**
 * The version of a plant: a hash of its content. Needs no column, survives a restore, and is equal
 * on every store.
 */
import { hash } from 'node:crypto';
import type { Plant } from '../domain/schemas.ts';
import type { Condition } from '../domain/store.ts';

/**
 * 22 base64url characters: the first 128 bits of SHA-256. U+0000, which no name has, separates name
 * and tag; an absent and an empty tag differ.
 */
export function versionOf({ name, tag }: Plant): string {
  return hash('sha256', tag === undefined ? name : `${name}\0${tag}`, 'base64url').slice(0, 22);
}

/**
 * Returns whether the condition allows a change; `stored` is undefined if there is no plant (RFC
 * 9110, section 13.2.2).
 */
export function allows({ ifMatch, ifNoneMatch }: Condition, stored: Plant | undefined): boolean {
  if (ifMatch !== undefined && !names(ifMatch, stored)) return false;
  return ifNoneMatch === undefined || !names(ifNoneMatch, stored);
}

function names(versions: '*' | readonly string[], stored: Plant | undefined): boolean {
  if (stored === undefined) return false;
  return versions === '*' || versions.includes(versionOf(stored));
}
