/** Deletes the plant of a form, unless somebody changed it since it was read. */
import { useState } from 'preact/hooks';
import { type PlantClient, PlantStoreError, type PlantVersion, type StoredPlant } from '../../../src/client/client.ts';
import { writeDraft } from '../session/drafts.ts';
import { isAway, noteError } from '../session/session.ts';
import { showToast } from '../ui/toasts.tsx';
import type { Editor } from './use-editor.ts';

export interface Deletion {
  readonly isBusy: boolean;
  /** What is stored now, when that is not what the form began with. */
  readonly conflict: PlantVersion | undefined;
  /** @param over the version that may be deleted; absent: the one that the form began with. */
  readonly run: (over?: PlantVersion) => Promise<void>;
  /** Keeps the plant after all. */
  readonly keep: () => void;
}

export function useDelete(
  client: PlantClient,
  key: bigint | 'new',
  { draft }: Editor,
  onDeleted: (plant: StoredPlant) => void,
): Deletion {
  const [isBusy, setBusy] = useState(false);
  const [conflict, setConflict] = useState<PlantVersion | undefined>(undefined);
  const run = async (over?: PlantVersion): Promise<void> => {
    const { base } = draft;
    const version = over?.etag ?? base?.etag;
    if (isBusy || key === 'new' || base === undefined || version === undefined) return;
    const { etag: _etag, ...fields } = base;
    setBusy(true);
    try {
      await client.delete(key, { ifMatch: version });
      writeDraft(String(key), undefined);
      onDeleted(over?.plant ?? { id: key, ...fields });
    } catch (error) {
      noteError(error, 'write');
      const stored =
        error instanceof PlantStoreError && error.status === 412
          ? await client.get(key).catch(() => undefined)
          : undefined;
      setConflict(stored);
      const reason = isAway(error) ? 'The service does not answer; the plant is still there.' : toMessage(error);
      if (stored === undefined) showToast({ text: reason, isBad: true });
    }
    setBusy(false);
  };
  return { isBusy, conflict, run, keep: () => setConflict(undefined) };
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
