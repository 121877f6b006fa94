/** A new plant on its way to an id: proposes the next free one, and adds the plant under it. The form around it is in editor.ts. */
import { parseTypedId } from '../parse-id.ts';
import { mayBeStored } from '../session/reasons.ts';
import type { EditorPorts } from './editor-state.ts';
import { findNextId } from '../copy/next-id.ts';
import { type Draft, hasSuggestedId } from './plant-form.ts';
import { createPlant, isTaken, type Saved } from './save-plant.ts';

/** Ids that are proposed in turn while others take them. */
const proposalsMax = 10;

/** @param isRestored an earlier form may have sent it. */
export function newPlant(
  { client, canRead, noteError }: EditorPorts,
  read: () => Draft,
  write: (draft: Draft) => void,
  isRestored: boolean,
) {
  /** The plant may be stored, and only the response be lost: then an equal one is it. */
  let isUnsure = isRestored;
  /** Fills in the next id, if the form has none. Resolves to the error. @param taken one that is in use: replaces it. */
  const propose = async (taken = ''): Promise<unknown> => {
    if (!canRead || read().id !== taken) return undefined;
    try {
      const id = String(await findNextId(client, parseTypedId(taken)));
      // Another may have been typed meanwhile.
      if (read().id === taken) write({ ...read(), id, suggestedId: id });
      return undefined;
    } catch (error) {
      noteError(error);
      return error;
    }
  };
  /** Under the next id if someone else has taken the proposed one. */
  const add = async (): Promise<{ readonly saved: Saved }> => {
    for (let proposals = 1; ; proposals++) {
      const draft = read();
      try {
        const saved = await createPlant(client, draft, isUnsure);
        isUnsure = false;
        return { saved };
      } catch (error) {
        isUnsure ||= mayBeStored(error);
        if (!isTaken(error) || !hasSuggestedId(draft) || proposals === proposalsMax) throw error;
        isUnsure = false;
        await propose(draft.id);
      }
    }
  };
  return { propose, add };
}
