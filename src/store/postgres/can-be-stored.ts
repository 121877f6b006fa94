/** Which texts the server takes. */

/** The server refuses U+0000, so no row has it. */
export function canBeStored(value: unknown): boolean {
  return typeof value !== 'string' || !value.includes('\0');
}
