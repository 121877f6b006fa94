/** Converts values to those that parseJson() and JSON.parse have in common: no bigints, a single zero, ordinary prototypes. */
export function toPlain(value: unknown): unknown {
  if (typeof value === 'bigint' || value === 0) return Number(value) + 0;
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toPlain(member)]));
}
