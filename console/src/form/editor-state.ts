/** What a form knows at a moment, and what it needs from the page around it. */
import type { PlantClient, StoredPlant } from '../../../src/client/client.ts';
import { parseTypedId } from '../parse-id.ts';
import { isAway, toReason } from '../session/reasons.ts';
import { isSamePlant, type LoggedChange } from '../copy/changes.ts';
import type { Draft, FieldErrors } from './plant-form.ts';
import { type Conflict, isTaken, type Saved } from './save-plant.ts';

export interface Status {
  /** `waiting`: is saved as soon as the service responds. `gone`: there is no plant with this id. `failed`: it could not be read. */
  readonly state: 'reading' | 'ready' | 'saving' | 'waiting' | 'gone' | 'failed';
  readonly errors: FieldErrors;
  /** Any other error. */
  readonly message?: string | undefined;
  /** The plant that already has the id. */
  readonly taken?: StoredPlant | undefined;
  /** The plant was changed or deleted since, and the person must decide. */
  readonly conflict?: Conflict | undefined;
}

/**
 * A form at a moment. Of a new plant, `Editor.shown` is
 *
 *   when                                    state              draft          showsNext   shown
 *   before it is saved                      ready              the plant      false       draft
 *   while it is saved, or waits             saving, waiting    the plant      true        draft.next
 *   saved                                   ready              was draft.next either      draft
 *   not saved, and nothing typed since      ready, errors      the plant      false       draft
 *   not saved, and the next one is typed    ready, a message   the plant      true        draft.next, until goBack()
 *
 * A plant that is stored has no `draft.next`: its `draft` is shown in every state.
 */
export interface Form extends Status {
  readonly draft: Draft;
  /** The fields show the next new plant, while the one before it is being saved. */
  readonly showsNext?: boolean;
  /** Restored from the memory of the tab. */
  readonly isRestored: boolean;
  /** The last change in the log that the form has not read. */
  readonly incoming?: LoggedChange | undefined;
  /** The plant that this form added last: the form stays open for the next one. */
  readonly added?: StoredPlant;
}

export interface EditorPorts {
  readonly client: Pick<PlantClient, 'create' | 'get' | 'listPage' | 'patch' | 'put'>;
  /** Whether the token can look which ids are in use. */
  readonly canRead: boolean;
  /** The tag of the list, with which a new plant begins. */
  readonly tag?: string | null | undefined;
  readonly drafts: {
    readonly read: (key: string) => Draft | undefined;
    readonly write: (key: string, draft: Draft | undefined) => void;
  };
  readonly noteError: (error: unknown) => void;
  readonly onSaved: (saved: Saved) => void;
  readonly onFailed: (name: string, reason: string) => void;
  /** Receives the name that is saved once the service responds. */
  readonly onWaiting: (name: string) => void;
}

export const reading: Status = { state: 'reading', errors: {} };
export const ready: Status = { state: 'ready', errors: {} };
export const gone: Status = { state: 'gone', errors: {} };

/** The change that the form is to mention: made by someone else, and not in the form. */
export function toIncoming({ state, draft, incoming }: Form): LoggedChange | undefined {
  const isNew = state === 'ready' && draft.base !== undefined && !isSamePlant(incoming?.plant, draft.base);
  return isNew ? incoming : undefined;
}

export async function explainFailure(client: EditorPorts['client'], draft: Draft, error: unknown): Promise<Status> {
  if (isAway(error)) return { state: 'waiting', errors: {} };
  const id = parseTypedId(draft.id);
  if (!isTaken(error) || id === undefined) return { ...ready, message: toReason(error) };
  const taken = (await client.get(id).catch(() => undefined))?.plant;
  return { state: 'ready', errors: { id: `The id ${id} is already in use.` }, taken };
}
