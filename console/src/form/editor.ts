/** One form without its elements: reading, editing, saving, refused, in conflict, or waiting for the service. */
import type { PlantVersion, StoredPlant } from '../../../src/client/client.ts';
import { Observable } from '../observable.ts';
import { awayText, isAway, toReason } from '../session/reasons.ts';
import { type Announcement, announcements, isSamePlant } from '../copy/changes.ts';
import { type EditorPorts, explainFailure, type Form, gone, reading, ready, type Status } from './editor-state.ts';
import { newPlant } from './new-plant.ts';
import {
  type Draft,
  emptyDraft,
  findErrors,
  isDirty,
  mergeDraft,
  rebaseDraft,
  toDraft,
  toNextDraft,
  toPlant,
} from './plant-form.ts';
import { type Resolution, savePlant } from './save-plant.ts';

export class Editor {
  readonly form: Observable<Form>;
  readonly #key: bigint | 'new';
  readonly #ports: EditorPorts;
  readonly #listed: StoredPlant | undefined;
  readonly #new: ReturnType<typeof newPlant>;
  #read: AbortController | undefined;
  /** What the person decided, for the save that waits. */
  #resolution: Resolution | undefined;

  /**
   * @param key the id of the plant, or `new`.
   * @param listed the plant as a row of the list shows it: the form starts from that, and nothing is read before it is saved.
   */
  constructor(key: bigint | 'new', ports: EditorPorts, listed?: StoredPlant) {
    this.#key = key;
    this.#ports = ports;
    this.#listed = listed;
    const kept = ports.drafts.read(String(key));
    const isRestored = kept !== undefined;
    const draft = kept ?? this.#toStart();
    const status = key === 'new' || draft.base !== undefined ? ready : reading;
    this.form = new Observable({ ...status, draft, isRestored });
    const read = (): Draft => this.form.value.draft;
    const write = (draft: Draft): void => {
      if (isDirty(draft)) this.#keep(draft);
      this.#show(this.form.value, { draft });
    };
    this.#new = newPlant(ports, read, write, isRestored);
  }

  /** Reads the plant and follows its changes, until the returned function is called. */
  open(): () => void {
    // Also what was typed in the list, which lacks the version: saving finds it.
    const isPartial = this.#listed === undefined && this.form.value.draft.base?.etag === undefined;
    if (isPartial && !this.#isSaving) void this.loadStored();
    void this.#propose();
    const stop = announcements.add((announcement) => this.#hear(announcement));
    return () => {
      stop();
      this.#read?.abort();
    };
  }

  /** Call when the service responds again: saves what waits, and reads what could not be read. */
  retry(): void {
    const { state } = this.form.value;
    if (state === 'waiting') void this.#send(this.#resolution);
    else if (state === 'failed') this.#startAgain();
  }

  /** What the fields show: the draft, or the next new plant while the draft is being saved. */
  get shown(): Draft {
    const { draft, showsNext } = this.form.value;
    return showsNext === true ? (draft.next ?? draft) : draft;
  }

  /** Saves the plant. A new one leaves the fields at once, for the next: what is typed meanwhile stays there. `Form` has a table of it. */
  readonly save = async (resolution?: Resolution): Promise<void> => {
    const { draft } = this.form.value;
    if (this.#key === 'new' && toPlant(this.shown).name !== '') {
      if (this.#isSaving) {
        const errors = { name: 'The previous plant is still being saved. Try again in a moment.' };
        this.#show(this.form.value, { errors });
        return;
      }
      const withNext = { ...draft, next: draft.next ?? toNextDraft(toPlant(draft).tag) };
      this.#keep(withNext);
      this.#show(this.form.value, { draft: withNext, showsNext: true });
    }
    if (!this.#isSaving) await this.#send(resolution);
  };

  async #send(resolution?: Resolution): Promise<void> {
    // The fields show the draft again, with what is wrong in it, unless the person has typed the next plant or need do nothing.
    const fail = (status: Status, reason: string): void => {
      const { draft } = this.form.value;
      const isWaiting = status.state === 'waiting';
      const hasTypedNext = this.shown !== draft && isDirty(this.shown);
      // Errors of the draft would be at the fields of the next plant.
      const shownStatus = hasTypedNext && !isWaiting ? { ...ready, message: reason } : status;
      this.#show(shownStatus, { showsNext: isWaiting || hasTypedNext });
      if (!isWaiting) this.#ports.onFailed(draft.name, reason);
      else this.#ports.onWaiting(draft.name);
    };
    this.#resolution = resolution;
    this.#show({ state: 'saving', errors: {} });
    if (isAway(await this.#propose())) {
      fail({ state: 'waiting', errors: {} }, awayText);
      return;
    }
    const { draft } = this.form.value;
    const errors = findErrors(draft);
    if (Object.keys(errors).length > 0) {
      fail({ state: 'ready', errors }, Object.values(errors).join(' '));
      return;
    }
    const { client, noteError, drafts, onSaved } = this.#ports;
    try {
      const result =
        this.#key === 'new' ? await this.#new.add() : await savePlant(client, this.#key, draft, resolution);
      if ('conflict' in result) {
        const { conflict } = result;
        fail({ ...ready, conflict }, `It was ${conflict === 'deleted' ? 'deleted' : 'changed'} since.`);
        return;
      }
      const { saved } = result;
      const { next } = this.form.value.draft;
      // Unless another has taken its place.
      const isKept = JSON.stringify(drafts.read(String(this.#key))) === JSON.stringify(this.form.value.draft);
      if (isKept) this.#keep(next ?? emptyDraft);
      this.#show(ready, { isRestored: false, ...(next && { draft: next, added: saved.plant }) });
      announcements.call({ kind: 'stored', plant: saved.plant, isNew: saved.isNew });
      onSaved(saved);
      void this.#propose();
    } catch (error) {
      noteError(error);
      const status = await explainFailure(client, this.form.value.draft, error);
      fail(status, status.errors.id ?? toReason(error));
    }
  }

  /** Reads what is stored now and keeps what was typed. The person decides about members that both changed. */
  readonly loadStored = async (): Promise<void> => {
    if (this.#key === 'new') return;
    const { incoming } = this.form.value;
    this.#read?.abort();
    const { signal } = (this.#read = new AbortController());
    try {
      const version = await this.#ports.client.get(this.#key, { signal });
      if (this.form.value.incoming === incoming) this.#show(this.form.value, { incoming: undefined });
      if (!this.#isSaving) this.#take(version);
    } catch (error) {
      if (signal.aborted) return;
      this.#ports.noteError(error);
      if (this.#isSaving) return;
      const state = this.form.value.draft.base === undefined ? 'failed' : 'ready';
      this.#show({ state, errors: {}, message: toReason(error) });
    }
  };

  readonly type = (change: Partial<Draft>): void => {
    const { draft, state, errors } = this.form.value;
    const isFirst = this.shown === draft;
    const next = isFirst ? { ...draft, ...change } : { ...draft, next: { ...this.shown, ...change } };
    this.#keep(next);
    const left = Object.fromEntries(Object.entries(errors).filter(([member]) => !(member in change)));
    this.#show(state === 'ready' && isFirst ? ready : this.form.value, { draft: next, errors: left });
  };

  readonly discard = (): void => {
    this.#keep(this.form.value.draft.next ?? emptyDraft);
    this.#startAgain();
  };

  /** Shows the first plant that is not saved, and stops waiting for the service. */
  readonly goBack = (): void => {
    this.#show(ready, { showsNext: false });
  };

  /** What the save leads to decides then. */
  get #isSaving(): boolean {
    return /saving|waiting/.test(this.form.value.state);
  }

  #show(status: Status, change: Partial<Form> = {}): void {
    const none = { message: undefined, taken: undefined, conflict: undefined };
    this.form.set({ ...this.form.value, ...none, ...status, ...change });
  }

  #toStart(): Draft {
    if (this.#listed !== undefined) return toDraft({ plant: this.#listed });
    return this.#key === 'new' ? toNextDraft(this.#ports.tag) : { ...emptyDraft, id: String(this.#key) };
  }

  /** Resolves to the error. */
  async #propose(): Promise<unknown> {
    return this.#key === 'new' ? this.#new.propose() : undefined;
  }

  #keep(draft: Draft): void {
    this.#ports.drafts.write(String(this.#key), isDirty(draft) ? draft : undefined);
  }

  #startAgain(): void {
    const isKnown = this.#key === 'new' || this.#listed !== undefined;
    this.#show(isKnown ? ready : reading, {
      draft: this.form.value.draft.next ?? this.#toStart(),
      isRestored: false,
    });
    void (isKnown ? this.#propose() : this.loadStored());
  }

  #take(version: PlantVersion | undefined): void {
    const { draft } = this.form.value;
    const hasTyped = draft.base !== undefined && isDirty(draft);
    if (version === undefined) this.#show(hasTyped ? { ...ready, conflict: 'deleted' } : gone);
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
    if (key === 'new') return;
    const { state, conflict, draft } = this.form.value;
    const isSettled = state === 'ready' && conflict === undefined;
    if (announcement.kind === 'logged') {
      // Those of this page, too: what others did before may have been shown since it was announced.
      const last = announcement.changes.findLast(({ id }) => id === key);
      if (last === undefined || last.isOutdated) return;
      this.#show(this.form.value, { incoming: last.isOwn ? undefined : last });
      if (state === 'gone' && last.plant !== undefined) void this.loadStored();
    } else if (announcement.kind === 'many') {
      // Anything may have changed.
      if (isSettled && !isDirty(draft)) void this.loadStored();
    } else if (announcement.kind === 'deleted') {
      if (isSettled && announcement.id === key) this.#show(gone);
    } else if (announcement.plant.id === key) {
      if (state === 'gone' || (isSettled && !isSamePlant(announcement.plant, draft.base))) void this.loadStored();
    }
  }
}
