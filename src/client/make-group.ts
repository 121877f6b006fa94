/** The name of a new group of changes. Made before the first try of a batch, so that a retry has it, too. */
export function makeGroup(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
