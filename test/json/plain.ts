/** Converts parsed values to those of `JSON.parse`: rounds bigints and restores prototypes. */
import type { JsonValue } from '../../src/json/parse-json.ts';

export function toPlain(value: JsonValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map((item) => toPlain(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toPlain(member)]));
}

/** Replaces `-0` by `0`: our JSON has a single zero. */
export function withoutMinusZero(value: unknown): unknown {
  if (value === 0) return 0;
  if (Array.isArray(value)) return value.map((item) => withoutMinusZero(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutMinusZero(member)]));
}
