/** Deletes the plant of a form, unless it was changed since it was read. */
import { useState } from 'preact/hooks';
import type { PlantVersion, StoredPlant } from '../../../src/client/client.ts';
import { writeDraft } from '../session/drafts.ts';
import { changedText, isChangedMeanwhile } from '../session/reasons.ts';
import { useSession } from '../session/session.ts';
import { showNotWritten } from '../session/show-failure.ts';
import { toQuoted } from '../ui/plant-text.tsx';
import type { Editor } from './use-editor.ts';

export interface Deletion {
  readonly isBusy: boolean;
  /** What is stored now, if it differs from what the form started from. */
  readonly conflict: PlantVersion | undefined;
  /** @param over the version that may be deleted; absent: the one that the form started from. */
  readonly run: (over?: PlantVersion) => Promise<void>;
  /** Keeps the plant. */
  readonly keep: () => void;
}

/** @param onDeleted receives the plant, or undefined if it was deleted already. */
export function useDelete(
  key: bigint | 'new',
  { draft }: Editor,
  onDeleted: (plant: StoredPlant | undefined) => void,
  onConflict: (text: string) => void,
): Deletion {
  const { client } = useSession();
  const [isBusy, setBusy] = useState(false);
  const [conflict, setConflict] = useState<PlantVersion | undefined>(undefined);
  const run = async (over?: PlantVersion): Promise<void> => {
    const { base } = draft;
    const version = over?.etag ?? base?.etag;
    if (isBusy || key === 'new' || base === undefined || version === undefined) return;
    const { etag: _etag, ...fields } = base;
    setBusy(true);
    try {
      const isOurs = await client.delete(key, { ifMatch: version });
      writeDraft(String(key), undefined);
      onDeleted(isOurs ? (over?.plant ?? { id: key, ...fields }) : undefined);
    } catch (error) {
      const stored = isChangedMeanwhile(error) ? await client.get(key).catch(() => undefined) : undefined;
      setConflict(stored);
      const name = toQuoted(base.name);
      if (stored === undefined) showNotWritten(error, `Deleting ${name}`, `${name} was not deleted.`);
      else onConflict(`${name} was not deleted. ${changedText}`);
    }
    setBusy(false);
  };
  return { isBusy, conflict, run, keep: () => setConflict(undefined) };
}
