/** How the groups of imports begin, by which people can tell them from batches. */
export const importPrefix = 'import-';
/** The same of undone batches. */
export const undoPrefix = 'undo-';

/** Returns the name of a new group of changes. Make it before the first try: a retry has the same. */
export function makeGroup(prefix: '' | typeof importPrefix | typeof undoPrefix = ''): string {
  return (
    prefix +
    Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('')
  );
}
