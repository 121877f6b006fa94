/** The version of a plant: a hash of its content, equal on every store and after a restore. */
import { hash } from 'node:crypto';
import { type EachField, plantFields } from '../domain/plant.ts';
import type { Plant } from '../domain/schemas.ts';
import type { Condition } from '../domain/store.ts';
import { toJson } from '../json/to-json.ts';

const firstPrefixes: Partial<EachField<string>> = { name: '', tag: '\0' };
/**
 * What precedes the value of each field. No text has U+0000. A field after the tag has its name
 * here, so that the version of a plant without it stays the same.
 */
const parts = plantFields.map((field) => ({ field, prefix: firstPrefixes[field] ?? `\0\0${field}=` }));

/** 22 base64url characters: the first 128 bits of SHA-256. An absent and an empty tag differ. */
export function versionOf(plant: Plant): string {
  let content = '';
  for (const { field, prefix } of parts) {
    const value: unknown = plant[field];
    if (value !== undefined && value !== null) content += prefix + (typeof value === 'string' ? value : toJson(value));
  }
  return hash('sha256', content, 'base64url').slice(0, 22);
}

/** Whether the condition allows a change of what is stored, if it is (RFC 9110, section 13.2.2). */
export function allows({ ifMatch, ifNoneMatch }: Condition, stored: Plant | undefined): boolean {
  if (ifMatch !== undefined && !names(ifMatch, stored)) return false;
  return ifNoneMatch === undefined || !names(ifNoneMatch, stored);
}

function names(versions: '*' | readonly string[], stored: Plant | undefined): boolean {
  if (stored === undefined) return false;
  return versions === '*' || versions.includes(versionOf(stored));
}
