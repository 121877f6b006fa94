/** A new plant on its way to an id: proposes the next free one, and adds the plant under it. The form around it is in editor.ts. */
import { parseId } from '../parse-id.ts';
import { mayBeStored } from '../session/reasons.ts';
import type { EditorPorts } from './editor-state.ts';
import { findNextId } from '../many/next-id.ts';
import type { Draft } from './plant-form.ts';
import { createPlant, isTaken, type Saved } from './save-plant.ts';

/** Ids that are proposed in turn while others take them. */
const proposalsMax = 10;

export interface FormDraft {
  readonly read: () => Draft;
  readonly write: (draft: Draft) => void;
}

export class NewPlant {
  readonly #ports: EditorPorts;
  readonly #draft: FormDraft;
  /** The plant may be stored, and only the response be lost: then an equal one is it. */
  #isUnsure: boolean;

  /** @param isRestored an earlier form may have sent it. */
  constructor(ports: EditorPorts, draft: FormDraft, isRestored: boolean) {
    this.#ports = ports;
    this.#draft = draft;
    this.#isUnsure = isRestored;
  }

  /** Fills in the next id, if the form has none. Resolves to the error. @param taken one that is in use: replaces it. */
  async propose(taken = ''): Promise<unknown> {
    const { client, canRead, noteError } = this.#ports;
    const { read, write } = this.#draft;
    if (!canRead || read().id !== taken) return undefined;
    try {
      const id = String(await findNextId(client, parseId(taken)));
      // Another may have been typed meanwhile.
      if (read().id === taken) write({ ...read(), id, suggestedId: id });
      return undefined;
    } catch (error) {
      noteError(error, 'read');
      return error;
    }
  }

  /** Under the next id if someone else has taken the proposed one. */
  async add(): Promise<{ readonly saved: Saved }> {
    for (let proposals = 1; ; proposals++) {
      const draft = this.#draft.read();
      try {
        const saved = await createPlant(this.#ports.client, draft, this.#isUnsure);
        this.#isUnsure = false;
        return { saved };
      } catch (error) {
        this.#isUnsure ||= mayBeStored(error);
        const isOwnChoice = draft.id !== draft.suggestedId;
        if (!isTaken(error) || isOwnChoice || proposals === proposalsMax) throw error;
        this.#isUnsure = false;
        await this.propose(draft.id);
      }
    }
  }
}
