/** The names of groups of changes. How they begin says to people what made the changes; the service does not read them. */
import type { Batch } from '../domain/schemas.ts';

/** Of imports. */
export const importPrefix = 'import-';
/** Of undone batches. */
export const undoPrefix = 'undo-';
/** Of restored plants. */
export const restorePrefix = 'restore-';
/** Of a tag that all its plants lose for another. */
export const renamePrefix = 'rename-';

/** As the description says. */
const groupLengthMax = 64;

/** Returns the name of a new group of changes. Make it before the first try: a retry has the same. */
export function makeGroup(prefix = ''): string {
  return prefix + makeHex(12);
}

/** The group of a batch: its own, or a new one, which names what it undoes. */
export function toGroup(batch: Batch): string {
  if (batch.group !== undefined) return batch.group;
  if (batch.action === 'restore') return makeGroup(restorePrefix);
  if (batch.action !== 'undo') return makeGroup();
  const group = `${undoPrefix}${makeHex(4)}-${batch.undoes}`;
  return group.length > groupLengthMax ? makeGroup(undoPrefix) : group;
}

/** The group that the changes of a group undo, if its name says it. */
export function findUndone(group: string): string | undefined {
  return /^undo-[0-9a-f]{8}-(.+)$/.exec(group)?.[1];
}

function makeHex(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
}
