/** One form without its elements: reading, editing, saving, refused, in conflict, or waiting for the service. */
import type { PlantClient, PlantVersion, StoredPlant } from '../../../src/client/client.ts';
import { Observable } from '../observable.ts';
import { parseId } from '../parse-id.ts';
import { awayText, isAway, toReason } from '../session/reasons.ts';
import type { Announcement, LoggedChange } from './changes.ts';
import { announce, isSamePlant, lastChangesOf, onAnnounced, plantsOf } from './changes.ts';
import {
  type Draft,
  emptyDraft,
  type FieldErrors,
  findErrors,
  isDirty,
  mergeDraft,
  newDraft,
  rebaseDraft,
  toDraft,
} from './plant-form.ts';
import { type Conflict, isTaken, type Resolution, type Saved, savePlant } from './save-plant.ts';

/** `waiting`: is saved as soon as the service responds. `gone`: there is no plant with this id. */
export type EditorState = 'reading' | 'ready' | 'saving' | 'waiting' | 'gone' | 'failed';

interface Status {
  readonly state: EditorState;
  readonly errors: FieldErrors;
  /** Any other error. */
  readonly message?: string | undefined;
  /** The plant that already has the id. */
  readonly taken?: StoredPlant | undefined;
  /** Someone else changed or deleted the plant, and the person must decide. */
  readonly conflict?: Conflict | undefined;
}

export interface Form extends Status {
  readonly draft: Draft;
  /** Restored from the memory of the tab. */
  readonly isRestored: boolean;
  /** The last change in the log that the form has not read. */
  readonly incoming: LoggedChange | undefined;
}

export interface EditorPorts {
  readonly client: Pick<PlantClient, 'create' | 'get' | 'patch'>;
  /** The memory of the tab. */
  readonly drafts: {
    readonly read: (key: string) => Draft | undefined;
    readonly write: (key: string, draft: Draft | undefined) => void;
    readonly remove: (key: string, saved: Draft) => void;
  };
  readonly noteError: (error: unknown, needs: 'read' | 'write') => void;
  readonly onSaved: (saved: Saved) => void;
  /** Receives the name that was not saved, and why. */
  readonly onFailed: (name: string, reason: string) => void;
}

const ready: Status = { state: 'ready', errors: {} };
const gone: Status = { state: 'gone', errors: {} };
const reading: Status = { state: 'reading', errors: {} };

export class Editor {
  readonly form: Observable<Form>;
  readonly #key: bigint | 'new';
  readonly #ports: EditorPorts;
  #read: AbortController | undefined;
  #pending: Resolution | undefined;

  /** @param key the id of the plant, or `new`. */
  constructor(key: bigint | 'new', ports: EditorPorts) {
    this.#key = key;
    this.#ports = ports;
    const kept = ports.drafts.read(String(key));
    const draft = kept ?? (key === 'new' ? newDraft() : { ...emptyDraft, id: String(key) });
    const status = key === 'new' || draft.base !== undefined ? ready : reading;
    this.form = new Observable({ ...status, draft, isRestored: kept !== undefined, incoming: undefined });
  }

  /** Reads the plant and follows its changes, until the returned function is called. */
  open(): () => void {
    if (this.form.value.state === 'reading') void this.#readPlant();
    const stop = onAnnounced((announcement) => this.#hear(announcement));
    return () => {
      stop();
      this.#read?.abort();
      const { state, draft } = this.form.value;
      // Once the form is gone: until then it says so itself.
      if (state === 'waiting') queueMicrotask(() => this.#ports.onFailed(draft.name, awayText));
    };
  }

  /** Call when the service responds again: saves what waits, and reads what could not be read. */
  retry(): void {
    const { state } = this.form.value;
    if (state === 'waiting') void this.save(this.#pending);
    else if (state === 'failed') this.#readAgain();
  }

  async save(resolution?: Resolution): Promise<void> {
    const { draft } = this.form.value;
    const errors = findErrors(draft);
    if (Object.keys(errors).length > 0) {
      this.#show({ state: 'ready', errors });
      return;
    }
    const fail = (status: Status, reason: string): void => {
      this.#show(status);
      this.#ports.onFailed(draft.name, reason);
    };
    this.#pending = resolution;
    this.#show({ state: 'saving', errors: {} });
    const { client, noteError, drafts, onSaved } = this.#ports;
    try {
      const result = await savePlant(client, this.#key, draft, resolution);
      if ('conflict' in result) {
        const { conflict } = result;
        fail({ ...ready, conflict }, `Someone else ${conflict === 'deleted' ? 'deleted' : 'changed'} it.`);
        return;
      }
      const { saved } = result;
      drafts.remove(String(this.#key), draft);
      this.#show(ready, { isRestored: false });
      announce({ kind: 'stored', plant: saved.plant, isNew: saved.isNew });
      onSaved(saved);
    } catch (error) {
      noteError(error, 'write');
      const status = await explain(client, draft, error);
      fail(status, status.errors.id ?? toReason(error));
    }
  }

  /** Reads what is stored now and keeps what was typed. The person decides about members that both changed. */
  async loadStored(): Promise<void> {
    if (this.#key === 'new') return;
    const { incoming } = this.form.value;
    try {
      const version = await this.#get(this.#key);
      if (this.form.value.incoming === incoming) this.#show(this.form.value, { incoming: undefined });
      if (!this.#isSaving) this.#take(version);
    } catch (error) {
      this.#ports.noteError(error, 'read');
      if (this.#isSaving) return;
      const state = this.form.value.draft.base === undefined ? 'failed' : 'ready';
      this.#show({ state, errors: {}, message: toReason(error) });
    }
  }

  type(change: Partial<Draft>): void {
    const { draft, state, errors } = this.form.value;
    const next = { ...draft, ...change };
    this.#keep(next);
    const left = Object.fromEntries(Object.entries(errors).filter(([member]) => !(member in change)));
    this.#show(state === 'ready' ? { ...ready, errors: left } : this.form.value, { draft: next });
  }

  /** Drops the changes and reads the plant again. */
  discard(): void {
    this.#ports.drafts.write(String(this.#key), undefined);
    if (this.#key === 'new') this.#show(ready, { draft: newDraft(), isRestored: false });
    else this.#readAgain();
  }

  stopWaiting(): void {
    this.#show(ready);
  }

  /** What the save leads to decides then. */
  get #isSaving(): boolean {
    return /saving|waiting/.test(this.form.value.state);
  }

  #show(status: Status, change: Partial<Form> = {}): void {
    const { draft, isRestored, incoming } = this.form.value;
    this.form.set({ ...status, draft, isRestored, incoming, ...change });
  }

  #keep(draft: Draft): void {
    this.#ports.drafts.write(String(this.#key), isDirty(draft) ? draft : undefined);
  }

  #readAgain(): void {
    this.#show(reading, { isRestored: false });
    void this.#readPlant();
  }

  async #readPlant(): Promise<void> {
    if (this.#key === 'new') return;
    this.#read?.abort();
    const { signal } = (this.#read = new AbortController());
    try {
      const version = await this.#get(this.#key, signal);
      this.#show(version === undefined ? gone : ready, version === undefined ? {} : { draft: toDraft(version) });
    } catch (error) {
      if (signal.aborted) return;
      this.#ports.noteError(error, 'read');
      this.#show({ state: 'failed', errors: {}, message: toReason(error) });
    }
  }

  /** The list may be older than what was read: it is told. */
  async #get(id: bigint, signal?: AbortSignal): Promise<PlantVersion | undefined> {
    const version = await this.#ports.client.get(id, signal === undefined ? {} : { signal });
    announce(version === undefined ? { kind: 'deleted', id } : { kind: 'seen', plant: version.plant });
    return version;
  }

  #take(version: PlantVersion | undefined): void {
    const { draft } = this.form.value;
    if (version === undefined) this.#show(isDirty(draft) ? { ...ready, conflict: 'deleted' } : gone);
    else if (draft.base !== undefined && mergeDraft(draft, version.plant).collisions.length > 0)
      this.#show({ ...ready, conflict: version });
    else {
      const next = draft.base === undefined ? toDraft(version) : rebaseDraft(draft, version);
      this.#keep(next);
      this.#show(ready, { draft: next });
    }
  }

  #hear(announcement: Announcement): void {
    const key = this.#key;
    if (announcement.kind === 'logged') {
      const last = lastChangesOf(announcement.changes).find(({ id }) => id === key);
      if (last !== undefined) this.#show(this.form.value, { incoming: last.isOwn ? undefined : last });
    }
    const { state, conflict, draft } = this.form.value;
    const isNews = announcement.kind !== 'seen' && state === 'gone';
    if (isNews && key !== 'new' && plantsOf(announcement).get(key) !== undefined) void this.loadStored();
    // Written by this page, but not by this form, as by an import.
    if (state !== 'ready' || conflict !== undefined) return;
    if (announcement.kind === 'many' && !isDirty(draft)) void this.loadStored();
    if (announcement.kind === 'deleted' && announcement.id === key) this.#show(gone);
    if (announcement.kind === 'stored' && announcement.plant.id === key && !isSamePlant(announcement.plant, draft.base))
      void this.loadStored();
  }
}

/** The change that the form is to mention: made by someone else, and not in the form. */
export function toIncoming({ state, draft, incoming }: Form): LoggedChange | undefined {
  const isNew = state === 'ready' && draft.base !== undefined && !isSamePlant(incoming?.plant, draft.base);
  return isNew ? incoming : undefined;
}

/** What a failed attempt to save means for the form. */
async function explain(client: EditorPorts['client'], draft: Draft, error: unknown): Promise<Status> {
  if (isAway(error)) return { state: 'waiting', errors: {} };
  const id = parseId(draft.id.trim());
  if (!isTaken(error) || id === undefined) return { ...ready, message: toReason(error) };
  const taken = (await client.get(id).catch(() => undefined))?.plant;
  return { state: 'ready', errors: { id: `The id ${id} is already in use.` }, taken };
}
