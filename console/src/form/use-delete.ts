/** Deletes the plant of a form, unless it was changed since it was read. */
import { useState } from 'preact/hooks';
import type { PlantVersion, StoredPlant } from '../../../src/client/client.ts';
import { writeDraft } from '../session/drafts.ts';
import { isAway, isChangedMeanwhile, mayBeStored } from '../session/reasons.ts';
import { noteError, useSession } from '../session/session.ts';
import { toQuoted } from '../ui/plant-text.tsx';
import { showFailure } from '../session/show-failure.ts';
import { announce } from '../copy/changes.ts';
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
      noteError(error, 'write');
      const isChanged = isChangedMeanwhile(error);
      const stored = isChanged ? await client.get(key).catch(() => undefined) : undefined;
      setConflict(stored);
      if (stored !== undefined) {
        announce({ kind: 'seen', plant: stored.plant });
        onConflict(`${toQuoted(base.name)} was not deleted. It was changed since.`);
      } else {
        const name = toQuoted(base.name);
        showFailure(
          error,
          isAway(error) || mayBeStored(error) ? `Deleting ${name} was interrupted.` : `${name} was not deleted.`,
        );
      }
    }
    setBusy(false);
  };
  return { isBusy, conflict, run, keep: () => setConflict(undefined) };
}
