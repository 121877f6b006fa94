/** The state of one form: reading, editing, saving, refused, in conflict, or waiting for a service that is not responding. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PlantClient, StoredPlant } from '../../../src/client/client.ts';
import { parseId } from '../parse-id.ts';
import { onBack } from '../session/connection.ts';
import { readDraft, removeDraft, writeDraft } from '../session/drafts.ts';
import { awayText, isAway, noteError, toReason } from '../session/session.ts';
import { toQuoted } from '../ui/plant-text.tsx';
import { announce, isSamePlant, lastChangesOf, type LoggedChange, onAnnounced, plantsOf } from './changes.ts';
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

export interface Editor {
  readonly state: EditorState;
  readonly draft: Draft;
  readonly errors: FieldErrors;
  /** Any other error. */
  readonly message: string | undefined;
  /** The plant that already has the id. */
  readonly taken: StoredPlant | undefined;
  /** Present when someone else changed or deleted the plant and the person must decide. */
  readonly conflict: Conflict | undefined;
  /** The form was restored from the memory of the tab. */
  readonly isRestored: boolean;
  readonly isDirty: boolean;
  /** Made by someone else while the form is open, and not in the form. */
  readonly incoming: LoggedChange | undefined;
  /** Reads what is stored now and keeps what was typed. The person decides about members that both changed. */
  readonly loadStored: () => Promise<void>;
  readonly type: (change: Partial<Draft>) => void;
  readonly save: (resolution?: Resolution) => Promise<void>;
  /** Drops the changes and reads the plant again. */
  readonly discard: () => void;
  readonly stopWaiting: () => void;
}

interface Status {
  readonly state: EditorState;
  readonly errors: FieldErrors;
  readonly message?: string;
  readonly taken?: StoredPlant;
  readonly conflict?: Conflict;
}

/** What the save leads to decides then. */
const isSaving = ({ state }: Status): boolean => state === 'saving' || state === 'waiting';

const ready: Status = { state: 'ready', errors: {} };
const reading: Status = { state: 'reading', errors: {} };

/** @param key the id of the plant, or `new`. @param onFailed receives what was not saved, and why. */
export function useEditor(
  client: PlantClient,
  key: bigint | 'new',
  onSaved: (saved: Saved) => void,
  onFailed: (text: string) => void,
): Editor {
  const draftKey = String(key);
  const [draft, setDraft] = useState<Draft>(
    () => readDraft(draftKey) ?? (key === 'new' ? newDraft() : { ...emptyDraft, id: draftKey }),
  );
  const [isRestored, setRestored] = useState(() => readDraft(draftKey) !== undefined);
  const [status, setStatus] = useState<Status>(() => (key === 'new' || draft.base !== undefined ? ready : reading));
  const [readings, setReadings] = useState(0);
  const pending = useRef<Resolution | undefined>(undefined);
  const [incoming, setIncoming] = useState<LoggedChange | undefined>(undefined);

  useEffect(() => {
    if (status.state !== 'reading' || key === 'new') return undefined;
    const controller = new AbortController();
    client.get(key, { signal: controller.signal }).then(
      (version) => {
        // The list may be older than what was read.
        announce(version === undefined ? { kind: 'deleted', id: key } : { kind: 'seen', plant: version.plant });
        if (version !== undefined) setDraft(toDraft(version));
        setStatus(version === undefined ? { state: 'gone', errors: {} } : ready);
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        noteError(error, 'read');
        setStatus({ state: 'failed', errors: {}, message: toReason(error) });
      },
    );
    return () => controller.abort();
  }, [client, key, readings]);

  const save = async (resolution?: Resolution): Promise<void> => {
    const errors = findErrors(draft);
    if (Object.keys(errors).length > 0) {
      setStatus({ state: 'ready', errors });
      return;
    }
    const fail = (next: Status, reason: string): void => {
      setStatus(next);
      onFailed(toUnsaved(draft, reason));
    };
    pending.current = resolution;
    setStatus({ state: 'saving', errors: {} });
    try {
      const result = await savePlant(client, key, draft, resolution);
      if ('conflict' in result) {
        const { conflict } = result;
        fail({ ...ready, conflict }, `Someone else ${conflict === 'deleted' ? 'deleted' : 'changed'} it.`);
        return;
      }
      const { saved } = result;
      removeDraft(draftKey, draft);
      setRestored(false);
      setStatus(ready);
      announce({ kind: 'stored', plant: saved.plant, isNew: saved.isNew });
      onSaved(saved);
    } catch (error) {
      noteError(error, 'write');
      const next = await explain(client, draft, error);
      fail(next, next.errors.id ?? toReason(error));
    }
  };

  // When the service responds again, save what waits and read what could not be read.
  const retry = useRef<() => void>(() => undefined);
  retry.current = () => {
    if (status.state === 'waiting') void save(pending.current);
    else if (status.state === 'failed') readAgain();
  };
  useEffect(() => onBack(() => retry.current()), []);
  useEffect(
    () => () => {
      const { draft: left, status: last } = latest.current;
      // Once the form is gone: until then it says so itself.
      if (last.state === 'waiting') queueMicrotask(() => onFailed(toUnsaved(left, awayText)));
    },
    [],
  );

  const loadStored = async (): Promise<void> => {
    if (key === 'new') return;
    try {
      const version = await client.get(key);
      setIncoming((now) => (now === incoming ? undefined : now));
      announce(version === undefined ? { kind: 'deleted', id: key } : { kind: 'seen', plant: version.plant });
      const typed = latest.current.draft;
      if (isSaving(latest.current.status)) return;
      if (version === undefined)
        setStatus(isDirty(typed) ? { ...ready, conflict: 'deleted' } : { ...ready, state: 'gone' });
      else if (typed.base !== undefined && mergeDraft(typed, version.plant).collisions.length > 0)
        setStatus({ ...ready, conflict: version });
      else {
        const next = typed.base === undefined ? toDraft(version) : rebaseDraft(typed, version);
        setDraft(next);
        writeDraft(draftKey, isDirty(next) ? next : undefined);
        setStatus(ready);
      }
    } catch (error) {
      noteError(error, 'read');
      if (isSaving(latest.current.status)) return;
      const state = latest.current.draft.base === undefined ? 'failed' : 'ready';
      setStatus({ state, errors: {}, message: toReason(error) });
    }
  };

  /** The form as it was rendered last. */
  const latest = useRef({ draft, status, loadStored });
  latest.current = { draft, status, loadStored };
  useEffect(
    () =>
      onAnnounced((announcement) => {
        if (announcement.kind === 'logged') {
          const last = lastChangesOf(announcement.changes).find(({ id }) => id === key);
          if (last !== undefined) setIncoming(last.isOwn ? undefined : last);
        }
        const now = latest.current;
        const isNews = announcement.kind !== 'seen' && now.status.state === 'gone' && key !== 'new';
        if (isNews && plantsOf(announcement).get(key) !== undefined) void now.loadStored();
        // Written by this page, but not by this form, as by an import.
        if (now.status.state !== 'ready' || now.status.conflict !== undefined) return;
        if (announcement.kind === 'many' && !isDirty(now.draft)) void now.loadStored();
        if (announcement.kind === 'deleted' && announcement.id === key) setStatus({ ...ready, state: 'gone' });
        if (announcement.kind === 'stored' && announcement.plant.id === key)
          if (!isSamePlant(announcement.plant, now.draft.base)) void now.loadStored();
      }),
    [key],
  );

  const readAgain = (): void => {
    setStatus(reading);
    setReadings((count) => count + 1);
  };

  return {
    state: status.state,
    draft,
    errors: status.errors,
    message: status.message,
    taken: status.taken,
    conflict: status.conflict,
    isRestored,
    isDirty: isDirty(draft),
    incoming:
      status.state === 'ready' && draft.base !== undefined && !isSamePlant(incoming?.plant, draft.base)
        ? incoming
        : undefined,
    loadStored,
    type: (change) => {
      const next = { ...draft, ...change };
      setDraft(next);
      writeDraft(draftKey, isDirty(next) ? next : undefined);
      const { errors } = status;
      const left = Object.fromEntries(Object.entries(errors).filter(([member]) => !(member in change)));
      if (status.state === 'ready') setStatus({ ...ready, errors: left });
    },
    save,
    discard: () => {
      writeDraft(draftKey, undefined);
      setRestored(false);
      if (key === 'new') {
        setDraft(newDraft());
        setStatus(ready);
      } else readAgain();
    },
    stopWaiting: () => setStatus(ready),
  };
}

function toUnsaved({ name }: Draft, reason: string): string {
  // Only the response may be lost.
  return `${toQuoted(name)} ${reason === awayText ? 'may not be saved' : 'was not saved'}. ${reason}`;
}

/** What a failed attempt to save means for the form. */
async function explain(client: PlantClient, draft: Draft, error: unknown): Promise<Status> {
  if (isAway(error)) return { state: 'waiting', errors: {} };
  const id = parseId(draft.id.trim());
  if (!isTaken(error) || id === undefined) return { state: 'ready', errors: {}, message: toReason(error) };
  const taken = (await client.get(id).catch(() => undefined))?.plant;
  const errors = { id: `The id ${id} is already in use.` };
  return { state: 'ready', errors, ...(taken === undefined ? {} : { taken }) };
}
