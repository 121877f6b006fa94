/** Formats numbers for people: grouped, and exact for any bigint. */

const format = new Intl.NumberFormat('en');

export function toGrouped(value: bigint | number): string {
  return format.format(value);
}

/** `1 plant`, `2 plants`. */
export function toCount(value: bigint | number, one: string, many = `${one}s`): string {
  return `${toGrouped(value)} ${BigInt(value) === 1n ? one : many}`;
}

/** `1 byte`, `4.2 MB`. */
export function toSize(bytes: number): string {
  if (bytes < 1_000) return toCount(bytes, 'byte');
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
