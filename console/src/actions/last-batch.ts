/** The last batch of this tab: after a reload it can still be continued or undone, and its changes are no news. */
import { onDraftsDropped } from '../session/drafts.ts';
import { toStorageKey } from '../session/service-url.ts';
import { readStoredJson, writeStored } from '../ui/stored-text.ts';

export interface LastBatch {
  readonly group: string;
  readonly doing: string;
  /** What is needed to send it again, as JSON of its own: `JSON.parse` rounds ids. */
  readonly job?: string;
  /** Once it has ended: `118 plants deleted`, and when, in milliseconds; 0: it is not told again. */
  readonly end?: { readonly text: string; readonly at: number };
}

const key = toStorageKey('batch');

export function findLastBatch(): LastBatch | undefined {
  return readStoredJson('sessionStorage', key) as LastBatch | undefined;
}

export function keepLastBatch(batch: LastBatch): void {
  writeStored('sessionStorage', key, JSON.stringify(batch));
}

onDraftsDropped(() => writeStored('sessionStorage', key, undefined));
